/// The values of one property of the features of one block, by offset in the block. The codes refer
/// to the dictionary of the ``PropertyColumn``.
final class ColumnChunk: Sendable {
  /// The number of features.
  let count: Int
  /// The codes; nil if all values are missing or numbers.
  let codes: FixedArray<PropertyColumn.Code>?
  /// The numbers, NaN for other values; nil if there are no numbers.
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

  func code(at offset: Int) -> PropertyColumn.Code {
    if let codes { return codes.pointer[offset] }
    guard let doubles, !doubles.pointer[offset].isNaN else { return PropertyColumn.missing }
    return PropertyColumn.number
  }
}
