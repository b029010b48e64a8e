/// Builds a ``ColumnChunk`` value by value.
struct ColumnChunkBuilder {
  private let count: Int
  private var offset = 0
  private var codes: WritableArray<PropertyColumn.Code>?
  private var doubles: WritableArray<Double>?
  /// The dictionary shared by all chunks of the column.
  private let dictionary: GrowingDictionary

  init(count: Int, dictionary: GrowingDictionary) {
    self.count = count
    self.dictionary = dictionary
  }

  @inline(__always)
  mutating func append(_ value: PropertyValue) {
    switch value {
    case .missing: append(code: PropertyColumn.missing)
    case .bool(let value): append(code: value ? PropertyColumn.true : PropertyColumn.false)
    case .number(let value): append(number: value)
    case .string(let bytes): append(code: code(of: bytes, isOther: false))
    case .other(let bytes): append(code: code(of: bytes, isOther: true))
    }
  }

  @inline(__always)
  mutating func append(number: Double) {
    defer { offset += 1 }
    let doubles = self.doubles ?? makeDoubles()
    doubles.pointer[offset] = number
    if let codes { codes.pointer[offset] = PropertyColumn.number }
  }

  /// Appends a code other than that of a number.
  @inline(__always)
  mutating func append(code: PropertyColumn.Code) {
    defer { offset += 1 }
    if let doubles { doubles.pointer[offset] = .nan }
    if code == PropertyColumn.missing && self.codes == nil { return }
    let codes = self.codes ?? makeCodes()
    codes.pointer[offset] = code
  }

  private func code(of bytes: UnsafeRawBufferPointer, isOther: Bool) -> PropertyColumn.Code {
    PropertyColumn.firstEntry + PropertyColumn.Code(dictionary.add(bytes, flag: isOther))
  }

  /// Allocates the numbers. There have been none so far.
  private mutating func makeDoubles() -> WritableArray<Double> {
    let made = WritableArray<Double>(count: count)
    made.pointer.initialize(repeating: .nan, count: offset)
    doubles = made
    return made
  }

  /// Allocates the codes. All values so far are missing or numbers.
  private mutating func makeCodes() -> WritableArray<PropertyColumn.Code> {
    let made = WritableArray<PropertyColumn.Code>(count: count)
    for offset in 0..<offset {
      let isNumber = doubles.map { !$0.pointer[offset].isNaN } ?? false
      made.pointer[offset] = isNumber ? PropertyColumn.number : PropertyColumn.missing
    }
    codes = made
    return made
  }

  /// Appends a range of another chunk of the same column.
  mutating func append(_ other: ColumnChunk, _ range: Range<Int>) {
    if other.codes != nil && codes == nil { _ = makeCodes() }
    if other.doubles != nil && doubles == nil { _ = makeDoubles() }
    if let target = doubles.map({ $0.pointer + offset }) {
      if let source = other.doubles {
        target.update(from: source.pointer + range.lowerBound, count: range.count)
      } else {
        target.initialize(repeating: .nan, count: range.count)
      }
    }
    if let target = codes.map({ $0.pointer + offset }) {
      if let source = other.codes {
        target.update(from: source.pointer + range.lowerBound, count: range.count)
      } else {
        for (index, offset) in range.enumerated() { target[index] = other.code(at: offset) }
      }
    }
    offset += range.count
  }

  /// The finished chunk. All `count` values must have been appended.
  var chunk: ColumnChunk {
    precondition(offset == count, "a value for each offset")
    // Values that were there may not have come along from other chunks.
    let plain = [PropertyColumn.missing, PropertyColumn.number]
    let codes = codes?.fixed.holding { !plain.contains($0) }
    return ColumnChunk(count: count, codes: codes, doubles: doubles?.fixed.holding { !$0.isNaN })
  }
}
