import ClusterCore
import Glibc

/// A file without a name, which is gone with its owner or the process.
final class ScratchFile: IndexFileSorter.Scratch {
  private let path: String
  private let descriptor: Int32
  private var size = 0

  /// Creates a file, which has no name any more when this returns.
  init(_ path: String) throws(StoreError) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw DataDirectory.failure("used", path) }
    unlink(path)
  }

  deinit { close(descriptor) }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard IndexFile.write(bytes, to: descriptor, at: size) else {
      throw DataDirectory.failure("used", path)
    }
    size += bytes.count
  }

  func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws {
    guard IndexFile.fill(target, from: descriptor, at: offset) else {
      throw DataDirectory.failure("used", path)
    }
  }
}
