import Glibc
import Texts

/// A file that is written as a whole: it has its name only once it is complete and on disk. Standard output, pipes and
/// devices are written as they are.
struct OutputFile: Sendable {
  private let path: String
  /// The name until the file is complete; nil if it is written as it is.
  private let draft: String?
  private let descriptor: Int32

  /// Opens a file for writing, or standard output if the path is "-" or another name of it. A file takes the place of the one
  /// that a link leads to, and has the rights of that.
  init(path: String) throws(CommandFailure) {
    var status = stat()
    let isThere = stat(path, &status) == 0
    let isOut = OutputFile.isStandardOutput(path)
    let isSpecial = isOut || isThere && status.st_mode & S_IFMT != S_IFREG
    let target = isThere && !isSpecial ? realpath(path, nil) : nil
    defer { free(target) }
    self.path = target.map { String(cString: $0) } ?? path
    draft = isSpecial ? nil : self.path + ".new"
    descriptor =
      isOut ? STDOUT_FILENO : open(draft ?? path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0, !isThere || isSpecial || fchmod(descriptor, status.st_mode & 0o777) == 0
    else {
      throw CommandFailure("\(draft ?? path) cannot be opened", errno)
    }
  }

  /// Whether a path names standard output, as `-` and `/dev/stdout` do.
  static func isStandardOutput(_ path: String) -> Bool {
    var (named, out) = (stat(), stat())
    return path.isSame(as: "-")
      || stat(path, &named) == 0 && fstat(STDOUT_FILENO, &out) == 0
        && (named.st_dev, named.st_ino) == (out.st_dev, out.st_ino)
  }

  /// Writes all bytes.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var done = 0
    while done < bytes.count {
      let count = Glibc.write(
        descriptor, bytes.baseAddress.map { $0 + done }, min(bytes.count - done, 1 << 20))
      if count > 0 {
        done += count
      } else if count < 0, errno == EINTR {
        try StopSignal.check()
      } else {
        throw failure("written")
      }
    }
  }

  /// Ends the file and gives it its name.
  func finish() throws(CommandFailure) {
    guard let draft else { return }
    guard fsync(descriptor) == 0, close(descriptor) == 0 else { throw failure("synchronized") }
    guard rename(draft, path) == 0 else { throw failure("renamed") }
    // So that a crash doesn't take the name back. Not every file system synchronizes directories.
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let parent = open(folder, O_RDONLY | O_CLOEXEC)
    if parent >= 0 {
      fsync(parent)
      close(parent)
    }
  }

  /// Removes the unfinished file.
  func abandon() {
    if let draft { unlink(draft) }
  }

  private func failure(_ action: String) -> CommandFailure {
    let name = path.isSame(as: "-") ? "standard output" : draft ?? path
    return CommandFailure("\(name) cannot be \(action)", errno)
  }
}
