internal import Texts

/// The columns that hold the places of a table's features.
enum CoordinateColumns: Equatable {
  case axes(longitude: Int, latitude: Int)
  case geometry(Int)

  /// Why columns can't be told.
  struct Fault: Error {
    let detail: String
    /// Whether there are columns, but too many.
    let isAmbiguous: Bool
  }

  /// The columns, as they are named, or by the first kind of names that gives one column each.
  static func find(
    _ heading: TableHeading, _ options: TableOptions
  ) throws(Fault) -> CoordinateColumns {
    func named(_ name: String) throws(Fault) -> Int {
      if let index = heading.index(of: name) { return index }
      throw Fault(
        detail: "no column is named \(shown(name)); there are \(heading.listed)",
        isAmbiguous: false)
    }
    if let longitude = options.longitude, let latitude = options.latitude {
      let columns = (try named(longitude), try named(latitude))
      guard columns.0 != columns.1 else {
        throw Fault(detail: "lon and lat name the same column", isAmbiguous: false)
      }
      return .axes(longitude: columns.0, latitude: columns.1)
    }
    if let geometry = options.geometry { return .geometry(try named(geometry)) }
    // A table that the service has written may have properties that are called so, too.
    let first = CSVWriter.first
    if heading.written.starts(with: first) {
      return .axes(longitude: first.count - 2, latitude: first.count - 1)
    }
    let all = heading.written.map { CoordinateName($0) }
    // A column that may hold letters of hemispheres is one of degrees if there is no other.
    if all.contains(where: { $0.axis != nil && $0.hemisphere != nil }) {
      let axes = all.map { $0.hemisphere == nil ? $0.axis : nil }
      if let found = try axisColumns(axes, all, heading) { return found }
    }
    if let found = try axisColumns(all.map(\.axis), all, heading) { return found }
    for kind in CoordinateName.geometries.indices {
      let columns = all.indices.filter { all[$0].geometry == kind }
      if columns.count == 1 { return .geometry(columns[0]) }
      if columns.count > 1 { throw ambiguity(columns, heading) }
    }
    throw Fault(
      detail:
        "no columns of coordinates among \(heading.listed); lon and lat name them, or geometry "
        + "the one that holds points",
      isAmbiguous: false)
  }

  /// The columns of two axes, by what their names mean; nil if there are none.
  private static func axisColumns(
    _ axes: [(axis: CoordinateName.Axis, kind: CoordinateName.Kind)?], _ names: [CoordinateName],
    _ heading: TableHeading
  ) throws(Fault) -> CoordinateColumns? {
    for kind in CoordinateName.Kind.allCases {
      func columns(_ axis: CoordinateName.Axis) -> [Int] {
        let all = axes.indices.filter {
          axes[$0].map { $0.axis == axis && $0.kind == kind } ?? false
        }
        let sure = all.filter { !names[$0].isOnlyLong }
        // Of names that differ in their capitals only, that without any is meant.
        if kind == .name, Set(sure.map { heading.written[$0].map(\.lowercasedASCII) }).count == 1,
          let small = sure.first(where: { heading.written[$0].allSatisfy { $0 > 0x60 } })
        {
          let isTwice = sure.count { heading.written[$0] == heading.written[small] } > 1
          return isTwice ? sure : [small]
        }
        return sure.isEmpty ? all : sure
      }
      let (longitudes, latitudes) = (columns(.longitude), columns(.latitude))
      guard !longitudes.isEmpty, !latitudes.isEmpty else { continue }
      if longitudes.count == 1, latitudes.count == 1 {
        return .axes(longitude: longitudes[0], latitude: latitudes[0])
      }
      throw ambiguity((longitudes + latitudes).sorted(), heading)
    }
    // Names of two kinds go together if there are no others, or else if others are only letters.
    for kinds in [CoordinateName.Kind.allCases, CoordinateName.Kind.allCases.filter(\.isWord)] {
      func columns(_ axis: CoordinateName.Axis) -> [Int] {
        axes.indices.filter {
          axes[$0].map { $0.axis == axis && kinds.contains($0.kind) } ?? false
        }
      }
      let (longitudes, latitudes) = (columns(.longitude), columns(.latitude))
      if longitudes.count == 1, latitudes.count == 1 {
        return .axes(longitude: longitudes[0], latitude: latitudes[0])
      }
    }
    return nil
  }

  private static func ambiguity(_ columns: [Int], _ heading: TableHeading) -> Fault {
    Fault(
      detail:
        "the columns \(heading.listed(columns)) all look like coordinates; lon and lat name those "
        + "that are meant, or geometry the one that holds points",
      isAmbiguous: true)
  }

  private static func shown(_ name: String) -> String { TableText.quoted(Array(name.utf8)) }

  func contains(_ column: Int) -> Bool {
    switch self {
    case .axes(let longitude, let latitude): column == longitude || column == latitude
    case .geometry(let geometry): column == geometry
    }
  }
}
