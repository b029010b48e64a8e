import Glibc
internal import Texts

/// File operations in the data directory, with the store's errors.
enum DataDirectory {
  /// Makes sure that a directory exists and can be listed. Creates it and its parents if need be.
  static func prepare(_ path: String) throws(StoreError) {
    var status = stat()
    if stat(path, &status) != 0 {
      let number = errno
      switch number {
      case ENOENT: return try create(path)
      case ENOTDIR: throw .notADirectory(path: path, reason: "a part of the path is a file")
      default: throw .unreadable(path: path, reason: message(errno: number))
      }
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw .notADirectory(path: path, reason: "it is a file")
    }
    guard access(path, R_OK | X_OK) == 0 else {
      throw .unreadable(path: path, reason: message(errno: errno))
    }
  }

  private static func create(_ path: String) throws(StoreError) {
    let parent = DataDirectory.parent(of: path)
    if parent != path { try prepare(parent) }
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
      let number = errno
      switch number {
      case EACCES, EPERM, EROFS:
        throw .readOnly(reason: "\(path) can't be created: \(message(errno: number))")
      default:
        throw StoreError(errno: number, path: path)
          ?? .unreadable(path: path, reason: "it can't be created: \(message(errno: number))")
      }
    }
    try synchronize(parent)
  }

  /// The parent directory of `path`: "." if it has none, "/" for the root.
  static func parent(of path: String) -> String {
    let rest = path.withoutSlashes
    guard let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      return path.begins(with: "/") ? "/" : "."
    }
    let parent = rest[..<slash]
    return parent.isEmpty ? "/" : String(parent)
  }

  /// Flushes a file, or the entries of a directory, to disk.
  static func synchronize(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("opened", path) }
    defer { close(descriptor) }
    // EINVAL is the answer of file systems that don't synchronize directories, and needn't.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("synchronized", path) }
  }

  /// Renames a file within a directory. The new name survives a crash when this returns.
  static func move(_ old: String, to new: String, in directory: String) throws(StoreError) {
    guard rename(old, new) == 0 else { throw failure("renamed", old) }
    try synchronize(directory)
  }

  /// Removes a file if it exists.
  static func remove(_ path: String) { _ = unlink(path) }

  /// Whether a file certainly doesn't exist.
  static func isMissing(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == ENOENT }

  /// The size of a file in bytes, or nil if there is none. A link is refused: SQLite would keep its log where it leads, and
  /// the directory's lock would hold nobody off there.
  static func size(of path: String) throws(StoreError) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      let number = errno
      if number == ENOENT { return nil }
      throw .unreadable(path: path, reason: message(errno: number))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let isLink = status.st_mode & S_IFMT == S_IFLNK
      throw .unreadable(
        path: path,
        reason: isLink ? "it is a link; let the directory be one instead" : "it is not a file")
    }
    return Int(status.st_size)
  }

  /// The first bytes of a file, fewer if it is shorter.
  static func prefix(of path: String, count: Int) throws(StoreError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .unreadable(path: path, reason: message(errno: errno))
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = read(descriptor, &bytes, count)
    guard got >= 0 else { throw failure("read", path) }
    return Array(bytes.prefix(got))
  }

  /// The free space on the disk of a directory in bytes, or so much that it makes no difference; 0 if it isn't known.
  static func free(in path: String) -> Int {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return 0 }
    // Multiplied as numbers that can't overflow.
    return Int(min(Double(status.f_bavail) * Double(status.f_frsize), 1e12))
  }

  /// The names of the files in a directory; none if it can't be listed.
  static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names
  }

  /// The error of a system call that has just failed, as `errno` says.
  static func failure(_ action: String, _ path: String) -> StoreError {
    let number = errno
    return StoreError(errno: number, path: path)
      ?? .io(reason: "\(path) can't be \(action): \(message(errno: number))")
  }
}

/// Notices when open files are no longer where they were opened: what is written to them then is lost.
struct FilePlaces {
  private struct Place {
    let path: String
    let device: dev_t
    let inode: ino_t

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (self.path, device, inode) = (path, status.st_dev, status.st_ino)
    }

    var isSame: Bool {
      Place(path).map { $0.device == device && $0.inode == inode } ?? false
    }
  }

  private let places: [Place]

  /// Remembers the files at some paths, of those that there are.
  init(_ paths: [String]) { places = paths.compactMap(Place.init) }

  /// Whether all of them are there still. A system call for each.
  var areSame: Bool { places.allSatisfy(\.isSame) }
}
