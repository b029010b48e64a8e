import Glibc

/// A lock by which a reader keeps a service from opening a data directory. It writes nothing.
final class DirectoryShare {
  private let descriptor: Int32

  /// Nil if a process holds the directory, or if no process ever did.
  ///
  /// - Parameter isHeld: whether a process holds it.
  init?(directory: String, isHeld: inout Bool) {
    let path = directory + "/" + DirectoryLock.fileName
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    isHeld = descriptor >= 0 && flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    if descriptor < 0 || isHeld {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
  }

  deinit { close(descriptor) }
}
