import Glibc
import TestSupport

/// Files of inputs, in memory where there is a file system for that.
enum FuzzFiles {
  private static let directory = try? TemporaryDirectory()

  /// Writes bytes to the file with a name, and returns its path.
  static func write(_ bytes: some Collection<UInt8>, to name: String) throws -> String {
    guard let directory else { throw FuzzFinding(description: "there is no directory for files") }
    let path = directory.file(name)
    try Fixtures.write(bytes, path: path)
    return path
  }
}
