/// The names of files that hold indexes. Each has a random number in its name that the database notes
/// once it is on disk, so that none is ever taken for another.
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

  /// The path of what sorting an import's features takes.
  static func runs(of key: Int64, besides database: String) -> String {
    DataDirectory.parent(of: database) + "/" + prefix + "\(key)" + suffix + ".runs.new"
  }

  static func remove(_ file: ChangeLog.File, of key: Int64, besides database: String) {
    DataDirectory.remove(path(file, of: key, besides: database))
  }

  /// Removes all such files, whole or not, but those with some names.
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
