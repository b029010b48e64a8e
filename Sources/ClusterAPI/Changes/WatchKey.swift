/// A watched viewport of a collection. Watchers with the same key share the work.
struct WatchKey: Hashable {
  var collection: String
  /// The request's fields.
  var query: String
}
