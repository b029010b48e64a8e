import Glibc

/// An exclusive lock on a data directory: `flock` on a file that also names the process that holds it.
///
/// The kernel releases the lock when its owner ends, so a file left by a dead process is no obstacle. The
/// file is never removed: between removal and creation two processes could both hold a lock.
///
/// A file that is new begins with ``newcomer`` until the directory's database is the service's own, so that a start that
/// fails before that, or is killed, is repeated by the next one.
final class DirectoryLock {
  static let fileName = "pincluster.lock"
  private static let newcomer = UInt8(ascii: "?")
  private let descriptor: Int32
  /// Whether no service has had the directory's database for its own.
  private(set) var isNew: Bool
  /// Whether the process that held the directory before didn't end by itself.
  let wasHeld: Bool

  init(directory: String) throws(StoreError) {
    let path = directory + "/" + DirectoryLock.fileName
    let isMissing = access(path, F_OK) != 0
    // Close-on-exec keeps a child process from holding the lock.
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw DirectoryLock.error(errno, opening: path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      let holder = DirectoryLock.processID(in: descriptor)
      close(descriptor)
      guard number == EWOULDBLOCK else {
        throw .io(reason: "\(path) can't be locked: \(message(errno: number))")
      }
      throw .directoryInUse(path: directory, processID: holder)
    }
    self.descriptor = descriptor
    var first: UInt8 = 0
    let isEmpty = pread(descriptor, &first, 1, 0) != 1
    isNew = isMissing || first == DirectoryLock.newcomer
    wasHeld = !isEmpty && !isNew
    guard mark() || !isMissing else {
      let number = errno
      unlink(path)
      throw StoreError(errno: number, path: path) ?? .io(reason: message(errno: number))
    }
  }

  /// Takes note that the directory's database is the service's own.
  func settle() {
    isNew = false
    mark()
  }

  /// Writes the process id, which is for people; a full disk must not keep the service from starting. Returns whether it is
  /// written.
  @discardableResult
  private func mark() -> Bool {
    var text = "\(isNew ? "?" : "")\(getpid())\n"
    let count = text.utf8.count
    let isWritten = text.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, 0) } == count
    _ = ftruncate(descriptor, isWritten ? count : isNew ? 1 : 0)
    return isWritten
  }

  deinit {
    _ = ftruncate(descriptor, isNew ? 1 : 0)
    // A child between fork and exec has the file open too, and closing alone would leave the lock to it.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func error(_ number: Int32, opening path: String) -> StoreError {
    switch number {
    case EACCES, EPERM, EROFS:
      .readOnly(reason: "\(path) can't be opened for writing: \(message(errno: number))")
    default:
      StoreError(errno: number, path: path)
        ?? .unreadable(path: path, reason: message(errno: number))
    }
  }

  private static func processID(in descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    let digits = bytes.prefix(count).prefix { $0 != 0x0A }.drop { $0 == newcomer }
    return Int32(String(decoding: digits, as: UTF8.self))
  }
}

/// A lock by which a reader keeps a service from opening a data directory. It writes nothing.
final class DirectoryShare {
  private let descriptor: Int32

  /// Nil if a process holds the directory, or if no process ever did.
  ///
  /// - Parameter isHeld: whether a process holds it.
  init?(directory: String, isHeld: inout Bool) {
    let path = directory + "/" + DirectoryLock.fileName
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    isHeld = descriptor >= 0 && flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    guard descriptor >= 0, !isHeld else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
