import Glibc

/// An exclusive lock on a data directory: `flock` on a file that also names the process that holds it.
///
/// The kernel releases the lock when its owner ends, so a file left by a dead process is no obstacle. The
/// file is never removed: between removal and creation two processes could both hold a lock.
///
/// Until the directory's database is the service's own, the file begins with what was found there, so that a start that fails
/// before that, or is killed, is repeated by the next one.
final class DirectoryLock {
  static let fileName = "pincluster.lock"
  /// The past of the database, as it is known when the directory is locked.
  enum Past: UInt8 {
    /// No service has had it for its own.
    case none = 0x3F  // ?
    /// The process that had it didn't end by itself.
    case cut = 0x21  // !
    /// It was closed.
    case closed = 0x2E  // .
  }

  private let descriptor: Int32
  let past: Past
  private var isSettled = false

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
    past = isMissing ? .none : isEmpty ? .closed : Past(rawValue: first) ?? .cut
    guard mark() || !isMissing else {
      let number = errno
      unlink(path)
      throw StoreError(errno: number, path: path) ?? .io(reason: message(errno: number))
    }
  }

  /// Takes note that the directory's database is the service's own.
  func settle() {
    isSettled = true
    mark()
  }

  /// Writes the process id, which is for people, behind the past as long as that matters; a full disk must not keep the
  /// service from starting. Returns whether it is written.
  @discardableResult
  private func mark() -> Bool {
    let text = (isSettled ? [] : [past.rawValue]) + Array("\(getpid())\n".utf8)
    let isWritten = pwrite(descriptor, text, text.count, 0) == text.count
    if isWritten { _ = ftruncate(descriptor, text.count) }
    return isWritten
  }

  deinit {
    _ = ftruncate(descriptor, isSettled || past == .closed ? 0 : 1)
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
    let digits = bytes.prefix(count).prefix { $0 != 0x0A }.drop { Past(rawValue: $0) != nil }
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
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    isHeld = descriptor >= 0 && flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    guard descriptor >= 0, !isHeld else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
