/// Where it is noted which transaction has dropped a collection, as the collection's own changes go with it: as changes of a
/// collection that never is there, of which there are few. Later drops take the places of earlier ones.
enum DropMark {
  /// The key under which they are kept. Those of collections begin with 1.
  static let collection: Int64 = 0
  private static let places: Int64 = 256

  /// The version under which a collection's drop is noted.
  static func version(of key: Int64) -> Int64 { key & (places - 1) }
}
