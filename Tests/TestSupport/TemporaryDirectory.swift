import Glibc

/// A new directory that goes, with all it holds, when its owner does.
public final class TemporaryDirectory: Sendable {
  /// Its absolute path.
  public let path: String

  /// Makes one in TMPDIR, or /tmp.
  public init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/pincluster-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Fixtures.Unreadable(path: parent, reason: String(cString: strerror(errno)))
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The names of the files in it, in order.
  public var names: [String] { Fixtures.names(in: path) }

  /// The path of something in it.
  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file in it, and returns its path.
  @discardableResult
  public func write(_ bytes: some Collection<UInt8>, as name: String) throws -> String {
    try Fixtures.write(bytes, path: file(name))
    return file(name)
  }

  /// Writes a text in it, and returns its path.
  @discardableResult
  public func write(_ text: String, as name: String) throws -> String {
    try write(text.utf8, as: name)
  }

  deinit { TemporaryDirectory.remove(path) }

  private static func remove(_ path: String) {
    for name in Fixtures.names(in: path) {
      let member = path + "/" + name
      // A link is removed, never followed.
      if unlink(member) != 0, errno == EISDIR { remove(member) }
    }
    rmdir(path)
  }
}
