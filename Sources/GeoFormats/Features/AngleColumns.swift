/// Columns with the minutes and seconds of coordinates whose degrees have a column of their own.
struct AngleColumns: Equatable {
  /// The columns of minutes and seconds of an axis.
  struct Parts: Equatable {
    /// That of minutes, and that of seconds if there is one.
    let all: [Int]
  }

  private var longitude: Parts?
  private var latitude: Parts?
  /// Those of both axes.
  private(set) var all: [Int] = []

  /// Those beside columns of degrees, if both have some.
  init(_ heading: TableHeading, _ coordinates: CoordinateColumns) {
    guard case .axes(let longitude, let latitude) = coordinates else { return }
    let found = AngleColumns.found(heading.written.map { CoordinateName($0) })
    guard let parts = found[longitude], let others = found[latitude] else { return }
    (self.longitude, self.latitude, all) = (parts, others, parts.all + others.all)
  }

  /// The columns of minutes and seconds, if both axes have some beside columns that say that they hold degrees.
  static func columns(_ names: [CoordinateName]) -> Set<Int> {
    let found = found(names)
    let axes = Set(found.keys.compactMap { names[$0].part?.axis })
    return axes.count == 2 ? Set(found.values.flatMap(\.all)) : []
  }

  /// The columns of minutes and seconds by those of degrees with the same other words. Linear.
  private static func found(_ names: [CoordinateName]) -> [Int: Parts] {
    var columns: [[UInt8]: [[Int]]] = [:]
    for (column, name) in names.enumerated() {
      guard let part = name.part else { continue }
      let key = part.besides + [part.axis == .longitude ? 0 : 1]
      columns[key, default: [[], [], []]][part.number].append(column)
    }
    var found: [Int: Parts] = [:]
    for parts in columns.values where parts[0].count == 1 && parts[1].count == 1 {
      guard parts[2].count <= 1 else { continue }
      found[parts[0][0]] = Parts(all: parts[1] + parts[2])
    }
    return found
  }

  subscript(axis: CoordinateText.Axis) -> Parts? { axis == .longitude ? longitude : latitude }
}
