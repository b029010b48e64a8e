/// Finds the distinct keys of a column.
struct KeyCollector {
  /// The keys, in the order in which they are met.
  let keys = ByteDictionary()

  /// For each place the number of its key plus one, 0 where there is no value; nil if there is none
  /// anywhere.
  func collect(_ column: PropertyColumn) -> FixedArray<UInt32>? {
    if column.isAllMissing { return nil }
    let result = FixedArray<UInt32>(uninitialized: column.count)
    var numbers = NumberDictionary()
    // Of the codes that were met; entries that no feature has any more get no key.
    var known = [UInt32](
      repeating: 0, count: Int(PropertyColumn.firstEntry) + column.entryCount)
    for place in 0..<column.count {
      let code = column.code(at: place)
      switch code {
      case PropertyColumn.missing: result.pointer[place] = 0
      case PropertyColumn.number:
        result.pointer[place] = numbers.value(of: column.number(at: place)) {
          add(CanonicalNumber.text($0))
        }
      default:
        if known[Int(code)] == 0 { known[Int(code)] = add(code, of: column) }
        result.pointer[place] = known[Int(code)]
      }
    }
    return result
  }

  private func add(_ code: PropertyColumn.Code, of column: PropertyColumn) -> UInt32 {
    switch code {
    case PropertyColumn.false: add(Array("false".utf8))
    case PropertyColumn.true: add(Array("true".utf8))
    default: UInt32(keys.add(column.bytes(ofEntry: code))) + 1
    }
  }

  private func add(_ key: [UInt8]) -> UInt32 {
    UInt32(key.withUnsafeBytes { keys.add($0) }) + 1
  }
}
