import Glibc

/// An exclusive lock on a data directory: `flock` on a file that also names the process that holds it.
///
/// The kernel releases the lock when its owner ends, so a file left by a dead process is no obstacle. The
/// file is never removed: between removal and creation two processes could both hold a lock.
final class DirectoryLock {
  static let fileName = "pincluster.lock"
  private let descriptor: Int32
  /// Whether the file wasn't there, so that the directory was never held before.
  let isNew: Bool

  init(directory: String) throws(StoreError) {
    let path = directory + "/" + DirectoryLock.fileName
    isNew = access(path, F_OK) != 0
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
    // The process id is for people. A full disk must not keep the service from starting.
    var text = "\(getpid())\n"
    _ = ftruncate(descriptor, 0)
    _ = text.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  deinit {
    _ = ftruncate(descriptor, 0)
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
    return Int32(String(decoding: bytes.prefix(count).prefix { $0 != 10 }, as: UTF8.self))
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
