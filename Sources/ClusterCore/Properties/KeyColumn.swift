/// The keys that a property's values have as names of groups, as ranks in their order, by place.
///
/// Rank 0 are the features without a value (missing, or JSON's null); the other ranks are the
/// distinct keys in the order of their UTF-8. A string is its own key; false and true, arrays and
/// objects have their JSON text, numbers their canonical one. So the number 5 and the string "5"
/// share a key, but the string "null" is apart from rank 0.
public final class KeyColumn: Sendable {
  /// The number of features.
  public let count: Int
  /// nil if all are of rank 0.
  let ranks: FixedArray<UInt32>?
  private let dictionary: ByteDictionary
  /// The numbers of keys in the dictionary, in the order of the keys.
  private let order: FixedArray<UInt32>

  /// The key of rank 0 as an answer names it.
  public static let nullKey = Array("null".utf8)

  /// Finds and orders the keys of a column. O(n + k log k) for k keys.
  public init(_ column: PropertyColumn) {
    count = column.count
    let collector = KeyCollector()
    // As numbers of keys for the time being.
    ranks = collector.collect(column)
    dictionary = collector.keys
    order = KeyColumn.sorted(dictionary)
    guard let ranks else { return }
    // 0 stays 0.
    let rankOfNumber = FixedArray<UInt32>(uninitialized: order.count + 1)
    rankOfNumber.pointer[0] = 0
    for index in 0..<order.count {
      rankOfNumber.pointer[Int(order.pointer[index]) + 1] = UInt32(index + 1)
    }
    for place in 0..<count {
      ranks.pointer[place] = rankOfNumber.pointer[Int(ranks.pointer[place])]
    }
  }

  /// The memory it takes, in bytes.
  public var byteCount: Int {
    (ranks?.byteCount ?? 0) + dictionary.byteCount + order.byteCount
  }

  /// The rank at a place.
  @inline(__always)
  public func rank(at place: Int) -> UInt32 { ranks?.pointer[place] ?? 0 }

  /// The keys by rank. Each is a copy; see ``withKey(_:_:)``.
  public var keys: Keys { Keys(column: self) }

  /// Lends a key.
  public func withKey<R>(_ rank: UInt32, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
  {
    if rank == 0 { return try KeyColumn.nullKey.withUnsafeBytes(body) }
    return try body(dictionary[Int(order.pointer[Int(rank) - 1])])
  }

  /// The rank of a key, if any feature has it; never 0.
  public func rank(of key: [UInt8]) -> UInt32? {
    key.withUnsafeBytes { key in
      var (low, high) = (0, order.count)
      while low < high {
        let middle = (low + high) / 2
        let other = dictionary[Int(order.pointer[middle])]
        if ByteOrder.compare(other, key) < 0 { low = middle + 1 } else { high = middle }
      }
      guard low < order.count,
        ByteOrder.areEqual(dictionary[Int(order.pointer[low])], key)
      else { return nil }
      return UInt32(low + 1)
    }
  }

  /// Keys by rank.
  public struct Keys: RandomAccessCollection {
    fileprivate let column: KeyColumn

    /// Where rank 0 is: 0.
    public var startIndex: Int { 0 }
    /// The number of keys, rank 0 among them.
    public var endIndex: Int { column.order.count + 1 }
    /// A key's UTF-8.
    public subscript(rank: Int) -> [UInt8] { column.withKey(UInt32(rank)) { Array($0) } }
  }

  /// The numbers of a dictionary's texts, sorted by text; most comparisons are of first bytes.
  private static func sorted(_ dictionary: ByteDictionary) -> FixedArray<UInt32> {
    var order = (0..<dictionary.count).map { number in
      (start: firstBytes(dictionary[number]), number: UInt32(number))
    }
    order.sort { a, b in
      a.start != b.start
        ? a.start < b.start
        : ByteOrder.compare(dictionary[Int(a.number)], dictionary[Int(b.number)]) < 0
    }
    let result = FixedArray<UInt32>(uninitialized: order.count)
    for (index, entry) in order.enumerated() { result.pointer[index] = entry.number }
    return result
  }

  /// The first eight bytes of a text, the first of them the highest; padded by zeros, which is never
  /// above what it stands for.
  private static func firstBytes(_ text: UnsafeRawBufferPointer) -> UInt64 {
    if text.count >= 8 { return UInt64(bigEndian: text.loadUnaligned(as: UInt64.self)) }
    var result: UInt64 = 0
    for byte in text { result = result << 8 | UInt64(byte) }
    return text.isEmpty ? 0 : result << UInt64(8 * (8 - text.count))
  }
}
