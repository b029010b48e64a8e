internal import Texts

/// The name of an index file, finished or not. It contains a random number, which the database notes once
/// the file is on disk, so that no file is taken for another.
struct IndexFileName: Hashable {
  /// The collection's key.
  let key: Int64
  let nonce: Int64
  /// The number of the first change that isn't in the file.
  let firstChange: Int64

  private static let prefix = "pincluster-"
  private static let suffix = ".index"

  private var text: String {
    Self.prefix + "\(key)-" + String(UInt64(bitPattern: nonce), radix: 16) + Self.suffix
  }

  /// The path of the file beside the database.
  func path(besides database: String) -> String {
    DataDirectory.parent(of: database) + "/" + text
  }

  /// The path of the scratch file for sorting a collection's features.
  static func runs(of key: Int64, besides database: String) -> String {
    DataDirectory.parent(of: database) + "/\(prefix)\(key)\(suffix).runs.new"
  }

  /// Removes all index files, complete or not, but some.
  static func removeAll(besides database: String, but files: [IndexFileName]) {
    let directory = DataDirectory.parent(of: database)
    let kept = Set(files.map(\.text))
    for name in DataDirectory.names(in: directory)
    where name.begins(with: prefix) && !kept.contains(name)
      && (name.ends(with: suffix) || name.holds(suffix + "."))
    {
      DataDirectory.remove(directory + "/" + name)
    }
  }
}
