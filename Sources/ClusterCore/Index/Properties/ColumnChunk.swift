/// The values of one property of the features of one block, by offset in the block. The codes refer
/// to the dictionary of the ``PropertyColumn``.
final class ColumnChunk: Sendable {
  /// The extent of the numbers of a block.
  struct Zone: BitwiseCopyable {
    /// The least and the greatest number; infinite in the opposite direction if there is none.
    let least: Double
    let greatest: Double
    /// Whether all values are numbers.
    let isNumeric: Bool

    /// Whether there are no numbers.
    var isEmpty: Bool { least > greatest }
  }

  /// The number of features.
  let count: Int
  /// The codes; nil if all values are missing or numbers.
  let codes: FixedArray<PropertyColumn.Code>?
  /// The numbers, NaN for other values; nil if there are no numbers.
  let doubles: FixedArray<Double>?
  /// The least and the greatest number; infinite in the opposite direction if there is none.
  let extent: (least: Double, greatest: Double)
  /// The number of numbers.
  let numberCount: Int

  init(
    count: Int, codes: FixedArray<PropertyColumn.Code>?, doubles: FixedArray<Double>?
  ) {
    self.count = count
    self.codes = codes
    self.doubles = doubles
    var extent = (least: Double.infinity, greatest: -Double.infinity)
    var numbers = 0
    if let doubles {
      // The comparisons are false for NaN.
      for number in doubles.buffer {
        extent.least = number < extent.least ? number : extent.least
        extent.greatest = number > extent.greatest ? number : extent.greatest
        numbers &+= number == number ? 1 : 0
      }
    }
    (self.extent, numberCount) = (extent, numbers)
  }

  /// Whether all values are numbers.
  var isNumeric: Bool { numberCount == count }

  /// The memory it takes, in bytes.
  var byteCount: Int { 64 + (codes?.byteCount ?? 0) + (doubles?.byteCount ?? 0) }

  func code(at offset: Int) -> PropertyColumn.Code {
    if let codes { return codes.pointer[offset] }
    guard let doubles, !doubles.pointer[offset].isNaN else { return PropertyColumn.missing }
    return PropertyColumn.number
  }
}
