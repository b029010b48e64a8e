import Glibc
import Texts

extension Import {
  /// A file or standard input, read in chunks.
  struct Input: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)
    /// The size in bytes; nil if it is not known.
    let size: Int?
    /// The number of bytes that have been read.
    private(set) var position = 0
    /// Bytes that come again, before the others, and how many have come.
    private var ahead: [UInt8] = []
    private var taken = 0

    /// Opens a file, or standard input if the path is "-".
    init(path: String) throws(Failure) {
      self.path = path
      descriptor = path.isSame(as: "-") ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        let reason = String(cString: strerror(errno))
        throw Failure(description: "\(path) cannot be opened: \(reason)")
      }
      var status = stat()
      let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      size = isFile ? Int(status.st_size) : nil
    }

    deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

    /// Whether the input can be read again.
    var canRewind: Bool { size != nil && !path.isSame(as: "-") }

    /// Returns to the beginning.
    mutating func rewind() throws(Failure) {
      guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw failure() }
      position = 0
    }

    /// Lets the first bytes come again that were read from what can't be read twice.
    mutating func putBack(_ bytes: [UInt8]) {
      (ahead, taken) = (bytes, 0)
      position = 0
    }

    /// Calls `body` with the next chunk, which must not escape. Returns false at the end.
    mutating func next(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
      if taken < ahead.count {
        let part = taken..<min(ahead.count, taken + buffer.count)
        taken = part.upperBound
        position += part.count
        try ahead.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[part])) }
        if taken == ahead.count { (ahead, taken) = ([], 0) }
        return true
      }
      while true {
        let count = buffer.withUnsafeMutableBytes {
          Glibc.read(descriptor, $0.baseAddress, $0.count)
        }
        if count > 0 {
          position += count
          try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
          return true
        }
        if count == 0 { return false }
        guard errno == EINTR else { throw failure() }
        try StopSignal.check()
      }
    }

    private func failure() -> Failure {
      Failure(description: "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
  }
}
