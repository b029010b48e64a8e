/// Where it is noted which transaction has dropped a collection, as the collection's own changes go with it: as changes of a
/// collection that never is there, each under the key that the dropped one had. Later drops forget those of an hour ago.
enum DropMark {
  /// The key under which they are kept. Those of collections begin with 1.
  static let collection: Int64 = 0
  /// How long they are kept at least, in microseconds: far longer than a write waits for its outcome.
  static let lifetime: Int64 = 3_600_000_000
}
