/// The names of index files. Each contains a random number, which the database notes once the file is on
/// disk, so that no file is taken for another.
enum IndexFiles {
  private static let prefix = "pincluster-"
  private static let suffix = ".index"

  static func name(_ file: ChangeLog.File, of key: Int64) -> String {
    prefix + "\(key)-" + String(UInt64(bitPattern: file.nonce), radix: 16) + suffix
  }

  /// The path of a file beside the database.
  static func path(_ file: ChangeLog.File, of key: Int64, besides database: String) -> String {
    DataDirectory.parent(of: database) + "/" + name(file, of: key)
  }

  /// The path of the scratch file for sorting a collection's features.
  static func runs(of key: Int64, besides database: String) -> String {
    DataDirectory.parent(of: database) + "/" + prefix + "\(key)" + suffix + ".runs.new"
  }

  static func remove(_ file: ChangeLog.File, of key: Int64, besides database: String) {
    DataDirectory.remove(path(file, of: key, besides: database))
  }

  /// Removes all index files, complete or not, but those with some names.
  static func removeAll(besides database: String, but names: Set<String>) {
    let directory = DataDirectory.parent(of: database)
    for name in DataDirectory.names(in: directory)
    where name.hasPrefix(prefix) && !names.contains(name)
      && (name.hasSuffix(suffix) || name.contains(suffix + "."))
    {
      DataDirectory.remove(directory + "/" + name)
    }
  }
}
