/// The selections of a scope's parts from when they were last used, possibly of an earlier version
/// of the index.
struct EarlierParts {
  /// The serials of that index's blocks.
  let serials: [UInt64]
  let parts: [(key: [UInt8]?, blocks: BlockSelection)]

  /// No earlier parts.
  static let none = EarlierParts(serials: [], parts: [])

  /// The keys of the parts.
  var keys: [[UInt8]?] { parts.map(\.key) }

  /// Returns the selection of a key, which is empty if there was none.
  func blocks(ofKey key: [UInt8]?) -> BlockSelection {
    parts.first { $0.key == key }?.blocks ?? BlockSelection()
  }
}
