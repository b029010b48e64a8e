import Glibc

/// A file that is written from its beginning.
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

  /// Writes what is buffered. Throws if that fails.
  func finish() throws(InputFile.Failure) {
    guard fflush(file) == 0 else { throw OutputFile.failure(path) }
  }

  private static func failure(_ path: String) -> InputFile.Failure {
    InputFile.Failure(path: path, reason: "cannot be written: \(String(cString: strerror(errno)))")
  }
}
