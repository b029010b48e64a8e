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

  /// Makes one that holds files, by name.
  public convenience init(holding files: [String: [UInt8]]) throws {
    try self.init()
    for (name, bytes) in files { try write(bytes, as: name) }
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

  /// What a file in it holds.
  public func bytes(of name: String) throws -> [UInt8] { try Fixtures.bytes(path: file(name)) }

  /// Its files by name, without one of them.
  public func files(without left: String? = nil) throws -> [String: [UInt8]] {
    let others = try names.filter { $0 != left }.map { ($0, try bytes(of: $0)) }
    return Dictionary(uniqueKeysWithValues: others)
  }

  /// A copy of its files, without one of them.
  public func copied(without left: String? = nil) throws -> TemporaryDirectory {
    try TemporaryDirectory(holding: files(without: left))
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
