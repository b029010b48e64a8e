import Glibc

/// Space on the disk that is kept for deletions, so that room can be made when the disk is full: a file that is
/// removed then.
final class Reserve {
  static let fileName = "pincluster.reserve"
  /// More than the log usually takes before it is copied into the database.
  private static let largest = 16 << 20
  private static let smallest = 128 << 10

  private let path: String
  private var isHeld = false

  init(directory: String) { path = directory + "/" + Reserve.fileName }

  /// Takes space if none is held: a sixteenth of the free space, or all of it, within bounds.
  func fill(withAll: Bool = false) {
    if !isHeld { isHeld = hasFile || makeFile(of: withAll ? free * 15 / 16 : free / 16) }
  }

  /// Whether there is so little space that none is taken.
  var isDiskFull: Bool { free / 16 < Reserve.smallest }

  private var hasFile: Bool {
    (try? DataDirectory.size(of: path)).flatMap { $0 }.map { $0 >= Reserve.smallest } ?? false
  }

  private var free: Int { DataDirectory.free(in: DataDirectory.parent(of: path)) }

  private func makeFile(of space: Int) -> Bool {
    let size = min(space, Reserve.largest)
    guard size >= Reserve.smallest else { return false }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o644)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard posix_fallocate(descriptor, 0, off_t(size)) == 0 else {
      unlink(path)
      return false
    }
    return true
  }

  /// Gives the space up.
  func giveUp() {
    unlink(path)
    isHeld = false
  }
}
