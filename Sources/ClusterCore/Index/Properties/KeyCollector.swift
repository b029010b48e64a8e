import Threading

/// Collects the distinct keys of a column chunk by chunk.
struct KeyCollector {
  /// The keys in order of discovery.
  let keys: GrowingDictionary
  private let column: PropertyColumn
  private var numbers = NumberDictionary()
  /// The number of the key plus one of each code seen so far. Entries that no feature has any more
  /// get no key.
  private var known: [PropertyColumn.Code: UInt32] = [:]
  private var knownEntries: [UInt32] = []

  /// Creates a collector for a column.
  ///
  /// - Parameter keys: the keys of the column before a change.
  init(_ column: PropertyColumn, _ keys: ByteDictionary? = nil) {
    self.column = column
    self.keys = GrowingDictionary(keys)
    // Use a table if all chunks will be read.
    if keys == nil {
      knownEntries = [UInt32](
        repeating: 0, count: Int(PropertyColumn.firstEntry) + column.entryCount)
    }
  }

  /// Returns the number of each value's key plus one, 0 for no value; nil for a chunk without any, and when
  /// cancelled.
  mutating func collect(_ chunk: ColumnChunk) -> FixedArray<UInt32>? {
    if chunk.codes == nil && chunk.doubles == nil { return nil }
    if Cancellation.poll(chunk.count * 20) { return nil }
    let result = WritableArray<UInt32>(count: chunk.count)
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
    return result.fixed
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
