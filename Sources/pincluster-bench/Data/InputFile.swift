import Glibc

/// Files that are read as a whole.
enum InputFile {
  struct Failure: Error, CustomStringConvertible {
    var path: String
    var reason: String
    var description: String { "\(path) \(reason)" }
  }

  static func read(_ path: String) throws(Failure) -> [UInt8] {
    guard let file = fopen(path, "r") else {
      throw Failure(path: path, reason: "cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// The lines of a text file.
  static func lines(_ path: String) throws(Failure) -> [String] {
    try read(path).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}
