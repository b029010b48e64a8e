/// What is watched: a view of a collection. Those who ask for the same share the work.
struct WatchKey: Hashable {
  var collection: String
  /// The request's fields.
  var query: String
}
