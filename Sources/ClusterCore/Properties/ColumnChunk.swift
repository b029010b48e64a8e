/// The values of one property of the features of one block, by their place in it; see
/// ``PropertyColumn``. Its codes mean what the column's dictionary says.
final class ColumnChunk: Sendable {
  /// The number of features.
  let count: Int
  /// nil if all are missing or numbers.
  let codes: FixedArray<PropertyColumn.Code>?
  /// NaN where there is no number; nil if there are none.
  let doubles: FixedArray<Double>?

  init(
    count: Int, codes: FixedArray<PropertyColumn.Code>?, doubles: FixedArray<Double>?
  ) {
    self.count = count
    self.codes = codes
    self.doubles = doubles
  }

  /// The memory it takes, in bytes.
  var byteCount: Int { 64 + (codes?.byteCount ?? 0) + (doubles?.byteCount ?? 0) }

  /// The code at a place.
  func code(at offset: Int) -> PropertyColumn.Code {
    if let codes { return codes.pointer[offset] }
    guard let doubles, !doubles.pointer[offset].isNaN else { return PropertyColumn.missing }
    return PropertyColumn.number
  }
}
