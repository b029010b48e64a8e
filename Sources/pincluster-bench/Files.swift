import Glibc

/// A file that is read as a whole.
enum InputFile {
  struct Failure: Error, CustomStringConvertible {
    var path: String
    var reason: String
    var description: String { "\(path) \(reason)" }
  }

  static func read(_ path: String) throws(Failure) -> [UInt8] {
    guard let file = fopen(path, "r") else {
      throw Failure(path: path, reason: "can't be read: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// The lines of a text.
  static func lines(_ path: String) throws(Failure) -> [String] {
    try read(path).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A file that is written from the start.
final class OutputFile {
  private let path: String
  private let file: UnsafeMutablePointer<FILE>

  init(_ path: String) throws(InputFile.Failure) {
    self.path = path
    guard let file = fopen(path, "w") else { throw OutputFile.failure(path) }
    self.file = file
  }

  deinit { fclose(file) }

  func write(_ bytes: UnsafeRawBufferPointer) throws(InputFile.Failure) {
    guard fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count else {
      throw OutputFile.failure(path)
    }
  }

  func write(_ text: String) throws(InputFile.Failure) {
    var text = text
    try text.withUTF8 { bytes in
      Result { () throws(InputFile.Failure) in try self.write(UnsafeRawBufferPointer(bytes)) }
    }.get()
  }

  /// Says whether all of it could be written.
  func finish() throws(InputFile.Failure) {
    guard fflush(file) == 0 else { throw OutputFile.failure(path) }
  }

  private static func failure(_ path: String) -> InputFile.Failure {
    InputFile.Failure(path: path, reason: "can't be written: \(String(cString: strerror(errno)))")
  }
}
