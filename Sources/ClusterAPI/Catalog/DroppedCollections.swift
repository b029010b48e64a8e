/// The versions at which the latest collections were dropped, so that no read waits for one that has
/// gone.
struct DroppedCollections: Sendable {
  /// The most that are remembered.
  static let most = 1000

  private var versions: [String: Int64] = [:]  // Characters: ids of collections, which are of ASCII
  /// The ids, the one that was dropped first first.
  private var ids: [String] = []

  /// The version at which a collection was dropped; nil if it wasn't, or long ago.
  subscript(_ id: String) -> Int64? { versions[id] }

  /// Notes that a collection was dropped.
  mutating func add(_ id: String, at version: Int64) {
    remove(id)
    versions[id] = version
    ids.append(id)
    if ids.count > DroppedCollections.most { versions[ids.removeFirst()] = nil }
  }

  /// Notes that there is such a collection again.
  mutating func remove(_ id: String) {
    guard versions.removeValue(forKey: id) != nil else { return }
    ids.removeAll { $0 == id }
  }
}
