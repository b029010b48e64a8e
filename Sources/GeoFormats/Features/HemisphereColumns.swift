/// Columns with the letters of hemispheres, beside those of degrees without a sign, as loggers of GPS write them.
struct HemisphereColumns: Equatable {
  private(set) var longitude: Int?
  private(set) var latitude: Int?

  /// The columns by their names, one for an axis; none in a table as ``CSVWriter`` writes it, whose degrees have signs.
  init(_ heading: TableHeading, _ coordinates: CoordinateColumns) {
    guard case .axes = coordinates, !heading.written.starts(with: CSVWriter.first) else { return }
    let names = heading.written.indices.map {
      coordinates.contains($0) ? nil : CoordinateName(heading.written[$0]).hemisphere
    }
    func only(_ axis: CoordinateText.Axis) -> Int? {
      let columns = names.indices.filter { names[$0] == axis }
      return columns.count == 1 ? columns[0] : nil
    }
    (longitude, latitude) = (only(.longitude), only(.latitude))
  }

  /// Leaves out columns without a letter, and such as are named by letters alone unless both have some: these may also say
  /// where a road leads.
  mutating func keep(_ columns: Set<Int>, _ heading: TableHeading) {
    if let column = longitude, !columns.contains(column) { longitude = nil }
    if let column = latitude, !columns.contains(column) { latitude = nil }
    let isPair = longitude != nil && latitude != nil
    func isBare(_ column: Int?) -> Bool {
      column.map { CoordinateName(heading.written[$0]).axis == nil } ?? false
    }
    if !isPair, isBare(longitude) || isBare(latitude) { (longitude, latitude) = (nil, nil) }
  }

  /// Leaves out all columns, as degrees have signs or letters of their own.
  mutating func removeAll() { (longitude, latitude) = (nil, nil) }

  var isEmpty: Bool { longitude == nil && latitude == nil }

  /// The column for an axis.
  subscript(axis: CoordinateText.Axis) -> Int? { axis == .longitude ? longitude : latitude }

  /// Whether one of them is a column.
  func contains(_ column: Int) -> Bool { column == longitude || column == latitude }

  /// Whether a field of a column is a letter of its axis.
  func isLetter(_ text: UnsafeRawBufferPointer, in column: Int) -> Bool {
    let axis = column == longitude ? CoordinateText.Axis.longitude : .latitude
    return contains(column) && HemisphereColumns.isNegative(text, axis) != nil
  }

  /// Whether a letter is that of a hemisphere with negative degrees; nil if it is none of the axis.
  static func isNegative(_ text: UnsafeRawBufferPointer, _ axis: CoordinateText.Axis) -> Bool? {
    let text = JSONText.trimmed(text)
    guard text.count == 1, let letter = CoordinateText.hemisphere(text[0] & 0xDF),
      letter.axis == axis
    else { return nil }
    return letter.isNegative
  }
}
