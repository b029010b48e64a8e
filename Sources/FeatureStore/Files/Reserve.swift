import Glibc

/// Space on the disk that is kept for deletions, so that room can be made when the disk is full: a file that is
/// removed then.
final class Reserve {
  static let fileName = "pincluster.reserve"
  private static let largest = 8 << 20
  private static let smallest = 128 << 10

  private let path: String
  private var isHeld = false

  init(directory: String) { path = directory + "/" + Reserve.fileName }

  /// Takes space if none is held: a sixteenth of what is free, within bounds. None on a disk that is full.
  func fill() {
    guard !isHeld else { return }
    if let size = try? DataDirectory.size(of: path), size >= Reserve.smallest {
      isHeld = true
      return
    }
    var status = statvfs()
    guard statvfs(DataDirectory.parent(of: path), &status) == 0 else { return }
    // Multiplied as numbers that can't overflow.
    let free = Double(status.f_bavail) * Double(status.f_frsize)
    let size = Int(min(free / 16, Double(Reserve.largest)))
    guard size >= Reserve.smallest else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    isHeld = posix_fallocate(descriptor, 0, off_t(size)) == 0
    if !isHeld { unlink(path) }
  }

  /// Gives the space up.
  func giveUp() {
    unlink(path)
    isHeld = false
  }
}
