/// Finds the distinct keys of a column, chunk by chunk.
struct KeyCollector {
  /// The keys, in the order in which they are met.
  let keys: GrowingDictionary
  private let column: PropertyColumn
  private var numbers = NumberDictionary()
  /// By code the number of its key plus one, as far as codes were met; entries that no feature has any
  /// more get no key.
  private var known: [PropertyColumn.Code: UInt32] = [:]
  private var knownEntries: [UInt32] = []

  /// A collector for a column.
  ///
  /// - Parameter keys: those of the column that it was made of by a change.
  init(_ column: PropertyColumn, _ keys: ByteDictionary? = nil) {
    self.column = column
    self.keys = GrowingDictionary(keys)
    // A table where all of it will be looked at.
    if keys == nil {
      knownEntries = [UInt32](
        repeating: 0, count: Int(PropertyColumn.firstEntry) + column.entryCount)
    }
  }

  /// For each place the number of its key plus one, 0 where there is no value; nil if there is none
  /// anywhere.
  mutating func collect(_ chunk: ColumnChunk) -> FixedArray<UInt32>? {
    if chunk.codes == nil && chunk.doubles == nil { return nil }
    let result = FixedArray<UInt32>(uninitialized: chunk.count)
    for offset in 0..<chunk.count {
      let code = chunk.code(at: offset)
      switch code {
      case PropertyColumn.missing: result.pointer[offset] = 0
      case PropertyColumn.number:
        guard let number = chunk.doubles?.pointer[offset] else { continue }
        let keys = self.keys
        result.pointer[offset] = numbers.value(of: number) {
          KeyCollector.add(CanonicalNumber.text($0), to: keys)
        }
      default: result.pointer[offset] = key(of: code)
      }
    }
    return result
  }

  private mutating func key(of code: PropertyColumn.Code) -> UInt32 {
    if !knownEntries.isEmpty {
      if knownEntries[Int(code)] == 0 { knownEntries[Int(code)] = add(code) }
      return knownEntries[Int(code)]
    }
    if let key = known[code] { return key }
    let key = add(code)
    known[code] = key
    return key
  }

  private func add(_ code: PropertyColumn.Code) -> UInt32 {
    switch code {
    case PropertyColumn.false: KeyCollector.add(Array("false".utf8), to: keys)
    case PropertyColumn.true: KeyCollector.add(Array("true".utf8), to: keys)
    default: UInt32(keys.add(column.bytes(ofEntry: code))) + 1
    }
  }

  private static func add(_ key: [UInt8], to keys: GrowingDictionary) -> UInt32 {
    UInt32(key.withUnsafeBytes { keys.add($0) }) + 1
  }
}
