/// A collection hasn't come to the version that a read asks for, or isn't there yet. The read may wait, and begin again.
struct TooEarly: Error {
  let collection: String
  /// The version that is asked for.
  let version: Int64
  /// The client's view of the collections.
  let view: CatalogView
  /// Whether it is answered all the same if the version doesn't come in time.
  var isOptional = false

  /// Whether it is over by now.
  var isOver: Bool {
    view.hasCome(collection, to: version)
      ?? view.isDropped(collection, after: version)
  }

  /// The answer if there is no time left to wait.
  var problem: Problem {
    guard let there = view.madeVersion(of: collection) else { return .noCollection }
    return .unavailable(
      "the collection is at version \(there) here, and hasn't come to \(version) in time")
  }
}
