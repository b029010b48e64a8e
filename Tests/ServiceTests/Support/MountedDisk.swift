import Glibc
import TestSupport
import Testing

/// A small disk of its own, where one can be mounted.
enum MountedDisk {
  /// Runs another command. Returns whether it succeeded.
  @discardableResult
  static func run(_ command: String, _ arguments: [String]) -> Bool {
    (try? ChildProcess(command, arguments))?.waitForExit() == .code(0)
  }

  /// Whether this process may mount a disk.
  static let canMount: Bool = {
    guard let disk = try? TemporaryDirectory(),
      run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk.path])
    else { return false }
    return run("/usr/bin/umount", ["--lazy", disk.path])
  }()

  /// Calls `body` with a directory that is a disk of so many kilobytes.
  static func with(_ kilobytes: Int, _ body: (TemporaryDirectory) throws -> Void) throws {
    let disk = try TemporaryDirectory()
    let size = "size=\(kilobytes)k"
    try #require(
      run("/usr/bin/mount", ["-t", "tmpfs", "-o", size, "tmpfs", disk.path]))
    defer { run("/usr/bin/umount", ["--lazy", disk.path]) }
    try body(disk)
  }

  /// Calls `body` with a directory that is a disk of so many megabytes with blocks of 1 KiB; not where none can be made, as
  /// without a loop device.
  static func withSmallBlocks(_ megabytes: Int, _ body: (TemporaryDirectory) throws -> Void) throws
    -> Bool
  {
    let (files, disk) = (try TemporaryDirectory(), try TemporaryDirectory())
    let image = files.file("image")
    guard run("/usr/bin/truncate", ["-s", "\(megabytes)M", image]),
      run("/usr/sbin/mkfs.ext4", ["-q", "-b", "1024", "-m", "0", "-F", image]),
      run("/usr/bin/mount", ["-o", "loop", image, disk.path])
    else { return false }
    defer { run("/usr/bin/umount", ["--lazy", disk.path]) }
    try body(disk)
    return true
  }

  /// Whether there can be such a disk.
  static let canHaveSmallBlocks = (try? withSmallBlocks(1) { _ in }) ?? false

  /// Fills a disk except for a little space.
  static func fillUp(_ disk: TemporaryDirectory, leaving bytes: Int) {
    guard let file = fopen(disk.file("filler"), "wb") else { return }
    let block = [UInt8](repeating: 1, count: 4096)
    setvbuf(file, nil, _IONBF, 0)
    while fwrite(block, 1, block.count, file) == block.count {}
    fclose(file)
    var status = stat()
    if stat(disk.file("filler"), &status) == 0 {
      truncate(disk.file("filler"), max(0, status.st_size - bytes))
    }
  }
}
