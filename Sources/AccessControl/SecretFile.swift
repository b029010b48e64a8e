import Glibc

/// A file that holds secrets.
enum SecretFile {
  /// The longest one, in bytes.
  private static let longest = 16 << 20

  /// Reads a file and makes something of it.
  static func read<R>(
    _ path: String, _ make: ([UInt8]) throws(Fault) -> R
  ) throws(AccessFileError) -> R {
    do throws(Fault) {
      return try make(try bytes(path))
    } catch {
      throw AccessFileError(path: path, reason: error.reason)
    }
  }

  private static func bytes(_ path: String) throws(Fault) -> [UInt8] {
    // Without O_NONBLOCK a pipe would be waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Fault(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Fault("it is not a file")
    }
    guard status.st_size <= longest else { throw Fault("it is larger than \(longest) bytes") }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < bytes.count {
      let taken = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      if taken < 0, errno == EINTR { continue }
      guard taken >= 0 else { throw Fault(String(cString: strerror(errno))) }
      if taken == 0 { break }
      count += taken
    }
    return Array(bytes.prefix(count))
  }
}

/// The key or token that a client shows.
public enum ClientKey {
  /// Reads it from the first line of a file.
  ///
  /// - Throws: ``AccessFileError``.
  public static func read(_ path: String) throws(AccessFileError) -> String {
    try SecretFile.read(path) { bytes throws(Fault) in
      let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
      guard (1...Token.longest).contains(line.count),
        line.allSatisfy({ (0x21...0x7E).contains($0) })
      else {
        throw Fault("its first line is not of 1 to \(Token.longest) printable ASCII characters")
      }
      return String(decoding: line, as: UTF8.self)
    }
  }
}
