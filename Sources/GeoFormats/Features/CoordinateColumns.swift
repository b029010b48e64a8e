internal import Texts

/// The columns that hold the places of a table's features.
enum CoordinateColumns: Equatable {
  case axes(longitude: Int, latitude: Int)
  case geometry(Int)

  /// Why columns can't be told.
  struct Fault: Error {
    let detail: String
    /// Whether there are columns, but too many.
    var isAmbiguous = false
  }

  /// The columns, as they are named, or by the first kind of names that gives one column each.
  static func find(
    _ heading: TableHeading, _ options: TableOptions
  ) throws(Fault) -> CoordinateColumns {
    func named(_ name: String) throws(Fault) -> Int {
      if let index = heading.index(of: name) { return index }
      throw Fault(detail: "no column is named \(shown(name)); there are \(heading.listed)")
    }
    if let longitude = options.longitude, let latitude = options.latitude {
      let columns = (try named(longitude), try named(latitude))
      guard columns.0 != columns.1 else {
        throw Fault(detail: "lon and lat name the same column")
      }
      return .axes(longitude: columns.0, latitude: columns.1)
    }
    if let geometry = options.geometry { return .geometry(try named(geometry)) }
    // A table that the service has written may have properties that are called so, too.
    let first = CSVWriter.first
    if heading.written.starts(with: first) {
      return .axes(longitude: first.count - 2, latitude: first.count - 1)
    }
    let names = heading.written.map { CoordinateName($0) }
    // A column that may hold letters of hemispheres is one of degrees if there is no other.
    let parts = AngleColumns.columns(names)
    let whole = names.indices.filter { !parts.contains($0) }
    let others = whole.filter { names[$0].hemisphere == nil }
    if others.count < whole.count, let found = try axes(others, names, heading) { return found }
    if let found = try axes(whole, names, heading) { return found }
    for kind in CoordinateName.geometries.indices {
      let columns = names.indices.filter { names[$0].geometry == kind }
      if columns.count == 1 { return .geometry(columns[0]) }
      if columns.count > 1 { throw ambiguity(columns, heading) }
    }
    let numbers = heading.written.count { name in
      name.contains(UInt8(ascii: ".")) && name.withUnsafeBytes { JSONText.decimal($0) != nil }
    }
    throw Fault(
      detail:
        "no columns of coordinates among \(heading.listed)"
        + (numbers > 1
          ? ": the first line has to name the columns, and holds numbers"
          : "; lon and lat name them, or geometry the one that holds points"))
  }

  /// The columns of two axes among some, by what their names mean; nil if there are none.
  private static func axes(
    _ columns: [Int], _ names: [CoordinateName], _ heading: TableHeading
  ) throws(Fault) -> CoordinateColumns? {
    func all(_ axis: CoordinateText.Axis, _ kinds: [CoordinateName.Kind]) -> [Int] {
      columns.filter { names[$0].axis.map { $0.axis == axis && kinds.contains($0.kind) } ?? false }
    }
    func pair(_ longitudes: [Int], _ latitudes: [Int]) -> CoordinateColumns? {
      guard longitudes.count == 1, latitudes.count == 1 else { return nil }
      return .axes(longitude: longitudes[0], latitude: latitudes[0])
    }
    for kind in CoordinateName.Kind.allCases {
      func surest(_ axis: CoordinateText.Axis) -> [Int] {
        let all = all(axis, [kind])
        let sure = all.filter { !names[$0].isOnlyLong }
        // Of names that differ in their capitals only, that without any is meant.
        if kind == .name, Set(sure.map { heading.written[$0].map(\.lowercasedASCII) }).count == 1,
          let small = sure.first(where: { heading.written[$0].allSatisfy { $0 > 0x60 } })
        {
          let isTwice = sure.count { heading.written[$0] == heading.written[small] } > 1
          return isTwice ? sure : [small]
        }
        // Where each says that it is degrees, that without another word is meant.
        let plain = all.filter { names[$0].part?.besides.isEmpty == true }
        if kind == .nameWithWord, plain.count == 1, all.allSatisfy({ names[$0].part?.number == 0 })
        {
          return plain
        }
        return sure.isEmpty ? all : sure
      }
      if kind == .letter, let found = try endings(columns, names, heading) { return found }
      let (longitudes, latitudes) = (surest(.longitude), surest(.latitude))
      guard !longitudes.isEmpty, !latitudes.isEmpty else { continue }
      if let found = pair(longitudes, latitudes) { return found }
      throw ambiguity((longitudes + latitudes).sorted(), heading)
    }
    // Names of two kinds go together if there are no others, or else if others are only letters.
    let kinds = CoordinateName.Kind.allCases
    return pair(all(.longitude, kinds), all(.latitude, kinds))
      ?? pair(
        all(.longitude, kinds.filter(\.isWord)), all(.latitude, kinds.filter(\.isWord)))
  }

  /// The columns whose names differ in the axis that they end with alone; nil if there are none.
  private static func endings(
    _ columns: [Int], _ names: [CoordinateName], _ heading: TableHeading
  ) throws(Fault) -> CoordinateColumns? {
    var latitudes: [[UInt8]: Int] = [:]
    for column in columns {
      if let end = names[column].ending, end.axis == .latitude { latitudes[end.stem] = column }
    }
    let pairs = columns.compactMap { column -> (Int, Int)? in
      guard let end = names[column].ending, end.axis == .longitude else { return nil }
      return latitudes[end.stem].map { (column, $0) }
    }
    guard let (longitude, latitude) = pairs.first else { return nil }
    guard pairs.count == 1 else { throw ambiguity(pairs.flatMap { [$0, $1] }.sorted(), heading) }
    return .axes(longitude: longitude, latitude: latitude)
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
