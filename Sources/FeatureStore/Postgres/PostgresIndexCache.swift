import ClusterCore
internal import Texts

/// The index files of a shared store in a directory of this machine. With one, a start reads only the changes
/// since. The directory belongs to one instance.
///
/// Not `Sendable`: it is used where its store is.
final class PostgresIndexCache {
  /// An index file: of a collection, at a version, which the token of its last change tells from others.
  struct File: Sendable, Equatable {
    let key: Int64
    let version: Int64
    let token: Int64

    private static let (prefix, suffix) = ("pincluster-pg-", ".index")

    init(_ info: CollectionInfo) {
      (key, version, token) = (info.key, info.version, info.token)
    }

    /// The file of a draft that ``begin(_:)`` has made.
    init(_ draft: IndexFileDraft) {
      (key, version, token) = (draft.file.key, draft.file.firstChange, draft.file.nonce)
    }

    /// Reads a name back; nil if it is of something else.
    init?(name: String) {
      guard name.ends(with: File.suffix), let rest = name.after(File.prefix) else { return nil }
      let parts = Substring(rest.utf8.dropLast(File.suffix.utf8.count)).parts(
        separatedBy: UInt8(ascii: "-"))
      guard parts.count == 3, let key = Int64(parts[0]), let version = Int64(parts[1]),
        let token = UInt64(parts[2], radix: 16)
      else { return nil }
      (self.key, self.version, self.token) = (key, version, Int64(bitPattern: token))
    }

    var name: String {
      "\(File.prefix)\(key)-\(version)-\(String(UInt64(bitPattern: token), radix: 16))\(File.suffix)"
    }

    /// The file as an index file is told from others.
    var asIndexFile: IndexFileName { IndexFileName(key: key, nonce: token, firstChange: version) }

    /// The identity that the file must have.
    func identity(_ storeID: UInt64) -> IndexFileLayout.Identity {
      .init(storeID: storeID, asIndexFile)
    }
  }

  let directory: String
  private let storeID: UInt64
  private let lock: DirectoryLock
  private var files: [Int64: File] = [:]
  private var underWay: Set<Int64> = []
  private var changes: [Int64: Int] = [:]

  /// Takes a directory, which it makes if need be. Throws ``StoreError/directoryInUse(path:processID:)`` while another
  /// instance has it.
  init(directory: String, storeID: UInt64) throws(StoreError) {
    try DataDirectory.prepare(directory)
    lock = try DirectoryLock(directory: directory)
    (self.directory, self.storeID) = (directory, storeID)
    for name in DataDirectory.names(in: directory) {
      if let file = File(name: name), (files[file.key]?.version ?? -1) < file.version {
        if let older = files.updateValue(file, forKey: file.key) { remove(older) }
      } else if name.begins(with: "pincluster-pg-") {
        DataDirectory.remove(directory + "/" + name)
      }
    }
  }

  /// Removes files of collections that aren't there any more.
  func keep(_ keys: Set<Int64>) {
    for file in files.values where !keys.contains(file.key) {
      remove(file)
      files[file.key] = nil
    }
  }

  /// The file of a collection, if there is one.
  func file(of key: Int64) -> File? { files[key] }

  func path(of file: File) -> String { directory + "/" + file.name }

  /// Takes note that features have changed.
  func hasChanged(_ key: Int64, count: Int) { changes[key, default: 0] += count }

  func state(of info: CollectionInfo) -> IndexFileState {
    if underWay.contains(info.key) { return .underWay }
    let isOutdated = changes[info.key] ?? 0 > IndexFile.mostChanges(of: info.featureCount)
    return files[info.key] == nil || isOutdated ? .missing : .present
  }

  func begin(_ info: CollectionInfo) -> IndexFileDraft {
    let file = File(info)
    underWay.insert(info.key)
    changes[info.key] = 0
    return IndexFileDraft(
      file: file.asIndexFile, path: path(of: file), identity: file.identity(storeID))
  }

  func finish(_ draft: IndexFileDraft) {
    underWay.remove(draft.file.key)
    let file = File(draft)
    if let older = files.updateValue(file, forKey: file.key), older != file { remove(older) }
  }

  func abandon(_ draft: IndexFileDraft) {
    underWay.remove(draft.file.key)
    DataDirectory.remove(draft.path)
  }

  /// Removes a file that is of no use.
  func discard(_ key: Int64) {
    if let file = files.removeValue(forKey: key) { remove(file) }
  }

  private func remove(_ file: File) { DataDirectory.remove(path(of: file)) }
}
