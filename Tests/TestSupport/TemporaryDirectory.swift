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

  /// The path of something in it.
  public func file(_ name: String) -> String { path + "/" + name }

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
