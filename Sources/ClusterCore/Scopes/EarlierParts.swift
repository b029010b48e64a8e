/// What was selected by the parts with a name when they were last looked at, maybe of an index that
/// changed since.
struct EarlierParts {
  /// Of the blocks that the index had; none of nothing.
  let serials: [UInt64]
  let parts: [(key: [UInt8]?, blocks: BlockSelection)]

  /// Nothing.
  static let none = EarlierParts(serials: [], parts: [])

  /// The keys that there were.
  var keys: [[UInt8]?] { parts.map(\.key) }

  /// What was selected of a key.
  func blocks(ofKey key: [UInt8]?) -> BlockSelection {
    parts.first { $0.key == key }?.blocks ?? BlockSelection()
  }
}
