/// The keys of a property's values as names of groups, stored as the rank of each feature's key.
///
/// Rank 0 is for features without a value (missing or JSON null). The other ranks are those of the
/// distinct keys in the order of their UTF-8. The key of a string is the string, that of a number
/// is its canonical text, and that of a boolean, array or object is its JSON text. So the number 5
/// and the string "5" have the same key, but the string "null" is distinct from rank 0.
public final class KeyColumn: Sendable {
  /// The number of features.
  public let count: Int
  /// By block and offset, the number of the key plus one, or 0 for no value; nil for a block
  /// without values.
  private let chunks: [FixedArray<UInt32>?]
  private let numbers: BlockTable<UInt32>
  /// The keys by number. Some may belong to no feature any more.
  private let dictionary: ByteDictionary
  /// The numbers of the keys in key order.
  private let order: FixedArray<UInt32>
  /// The rank by number plus one; 0 for 0.
  private let ranks: FixedArray<UInt32>
  private let chunkBytes: Int
  /// The number of keys when the column was built and each key belonged to a feature.
  private let livingKeys: Int

  /// The name of rank 0 in answers.
  public static let nullKey = Array("null".utf8)

  /// Creates the keys of a column.
  ///
  /// - Complexity: O(n + k log k) for k keys.
  public init(_ column: PropertyColumn) {
    var collector = KeyCollector(column)
    count = column.count
    chunks = column.chunks.map { collector.collect($0) }
    let made = EditedBlocks.Made(chunks.enumerated().map { ($0.offset, $0.element) })
    numbers = BlockTable(chunks.count, made, { $0 }, of: nil, after: nil)
    chunkBytes = chunks.reduce(0) { $0 + KeyColumn.byteCount($1) }
    dictionary = collector.keys.dictionary
    livingKeys = dictionary.count
    order = KeyColumn.sorted(dictionary, 0..<dictionary.count)
    ranks = KeyColumn.ranks(order)
  }

  /// Creates the keys of the column of a changed index. O(blocks) plus the size of the changed
  /// blocks; if these have new keys, plus O(k) for k keys.
  init(carrying old: KeyColumn, after edit: EditedBlocks, of column: PropertyColumn) {
    var collector = KeyCollector(column, old.dictionary)
    count = column.count
    livingKeys = old.livingKeys
    let made = edit.made { _, _, number in collector.collect(column.chunks[number]) }
    chunks = edit.applied(to: old.chunks, made)
    numbers = BlockTable(chunks.count, made, { $0 }, of: old.numbers, after: edit)
    let removed = edit.removed(of: old.chunks.count)
    chunkBytes =
      old.chunkBytes + made.all.reduce(0) { $0 + KeyColumn.byteCount($1.value) }
      - removed.reduce(0) { $0 + KeyColumn.byteCount(old.chunks[$1]) }
    dictionary = collector.keys.dictionary
    if dictionary.count == old.dictionary.count {
      (order, ranks) = (old.order, old.ranks)
    } else {
      let added = KeyColumn.sorted(dictionary, old.dictionary.count..<dictionary.count)
      order = KeyColumn.merged(old.order, added, dictionary)
      ranks = KeyColumn.ranks(order)
    }
  }

  /// Whether more than half of the keys may belong to no feature any more.
  var mayHoldDeadKeys: Bool { dictionary.count > 2 * livingKeys + 1024 }

  private static func byteCount(_ chunk: FixedArray<UInt32>?) -> Int {
    16 + (chunk.map { $0.byteCount + 64 } ?? 0)
  }

  private static func ranks(_ order: FixedArray<UInt32>) -> FixedArray<UInt32> {
    let ranks = WritableArray<UInt32>(count: order.count + 1)
    ranks.pointer[0] = 0
    for index in 0..<order.count {
      ranks.pointer[Int(order.pointer[index]) + 1] = UInt32(index + 1)
    }
    return ranks.fixed
  }

  /// The memory it takes, in bytes.
  public var byteCount: Int {
    chunkBytes + dictionary.byteCount + order.byteCount + ranks.byteCount
  }

  /// Returns the rank of the feature with an ordinal.
  @inline(__always)
  public func rank(at ordinal: Int) -> UInt32 {
    guard let numbers = numbers[around: ordinal] else { return 0 }
    return ranks.pointer[Int(numbers[ordinal])]
  }

  /// The keys by rank.
  public var keys: Keys { Keys(column: self) }

  /// Returns the rank of a key, or nil if the column doesn't contain it. Never returns 0.
  public func rank(of key: [UInt8]) -> UInt32? {
    key.withUnsafeBytes { key in
      let index = (0..<order.count).partitionPoint {
        ByteOrder.compare(dictionary[Int(order.pointer[$0])], key) < 0
      }
      guard index < order.count,
        ByteOrder.areEqual(dictionary[Int(order.pointer[index])], key)
      else { return nil }
      return UInt32(index + 1)
    }
  }

  /// The keys by rank. Each is a copy.
  public struct Keys: RandomAccessCollection {
    fileprivate let column: KeyColumn

    /// Rank 0.
    public var startIndex: Int { 0 }
    /// The number of ranks.
    public var endIndex: Int { column.order.count + 1 }
    /// The UTF-8 of the key of a rank.
    public subscript(rank: Int) -> [UInt8] {
      rank == 0
        ? KeyColumn.nullKey : Array(column.dictionary[Int(column.order.pointer[rank - 1])])
    }
  }

  /// Returns the numbers of some texts, sorted by text. Most comparisons need only the first bytes.
  private static func sorted(
    _ dictionary: ByteDictionary, _ numbers: Range<Int>
  ) -> FixedArray<UInt32> {
    var order = numbers.map { number in
      (start: firstBytes(dictionary[number]), number: UInt32(number))
    }
    order.sort { a, b in
      a.start != b.start
        ? a.start < b.start
        : ByteOrder.compare(dictionary[Int(a.number)], dictionary[Int(b.number)]) < 0
    }
    let result = WritableArray<UInt32>(count: order.count)
    for (index, entry) in order.enumerated() { result.pointer[index] = entry.number }
    return result.fixed
  }

  private static func merged(
    _ a: FixedArray<UInt32>, _ b: FixedArray<UInt32>, _ dictionary: ByteDictionary
  ) -> FixedArray<UInt32> {
    let result = WritableArray<UInt32>(count: a.count + b.count)
    var start = 0
    for index in 0..<b.count {
      let text = dictionary[Int(b.pointer[index])]
      let end = (start..<a.count).partitionPoint {
        ByteOrder.compare(dictionary[Int(a.pointer[$0])], text) < 0
      }
      (result.pointer + start + index).update(from: a.pointer + start, count: end - start)
      result.pointer[end + index] = b.pointer[index]
      start = end
    }
    (result.pointer + start + b.count).update(from: a.pointer + start, count: a.count - start)
    return result.fixed
  }

  /// Returns the first eight bytes of a text as a big-endian number, padded with zeros. It orders
  /// texts that differ in these bytes.
  private static func firstBytes(_ text: UnsafeRawBufferPointer) -> UInt64 {
    if text.count >= 8 { return UInt64(bigEndian: text.loadUnaligned(as: UInt64.self)) }
    var result: UInt64 = 0
    for byte in text { result = result << 8 | UInt64(byte) }
    return text.isEmpty ? 0 : result << UInt64(8 * (8 - text.count))
  }
}
