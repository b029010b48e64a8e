/// Columns with the letters of hemispheres, beside those of degrees without a sign, as loggers of GPS write them.
struct HemisphereColumns: Equatable {
  private(set) var longitude: Int?
  private(set) var latitude: Int?

  /// The columns by their names, one for an axis.
  init(_ heading: TableHeading, _ coordinates: CoordinateColumns) {
    guard case .axes = coordinates else { return }
    let names = heading.written.map { CoordinateName($0).hemisphere }
    func only(_ axis: CoordinateName.Axis) -> Int? {
      let columns = names.indices.filter { names[$0] == axis }
      return columns.count == 1 ? columns[0] : nil
    }
    (longitude, latitude) = (only(.longitude), only(.latitude))
  }

  /// Leaves out columns without a letter.
  mutating func keep(_ columns: Set<Int>) {
    if let column = longitude, !columns.contains(column) { longitude = nil }
    if let column = latitude, !columns.contains(column) { latitude = nil }
  }

  /// The column for an axis.
  subscript(axis: CoordinateText.Axis) -> Int? { axis == .longitude ? longitude : latitude }

  /// Whether one of them is a column.
  func contains(_ column: Int) -> Bool { column == longitude || column == latitude }

  /// Whether a letter is that of a hemisphere with negative degrees; nil if it is none of the axis.
  static func isNegative(_ text: UnsafeRawBufferPointer, _ axis: CoordinateText.Axis) -> Bool? {
    let text = JSONText.trimmed(text)
    guard text.count == 1 else { return nil }
    switch (text[0].lowercasedASCII, axis) {
    case (UInt8(ascii: "n"), .latitude), (UInt8(ascii: "e"), .longitude): return false
    case (UInt8(ascii: "s"), .latitude), (UInt8(ascii: "w"), .longitude): return true
    default: return nil
    }
  }
}
