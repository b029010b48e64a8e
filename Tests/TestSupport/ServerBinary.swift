import Glibc

/// Finds the built command.
public enum ServerBinary {
  /// The `pincluster` command: PINCLUSTER_BINARY, or beside the running test bundle, or in the
  /// package's debug build. Nil if it isn't built.
  public static func path() -> String? {
    if let given = getenv("PINCLUSTER_BINARY") { return String(cString: given) }
    var candidates = CommandLine.arguments.compactMap(directory(of:))
    if let running = runningExecutable() { candidates.insert(running, at: 0) }
    candidates.append(Fixtures.root + "/.build/debug")
    return candidates.map { $0 + "/pincluster" }.first { access($0, X_OK) == 0 }
  }

  private static func runningExecutable() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return nil }
    return directory(
      of: String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self))
  }

  /// All before the last slash; nil if there is none, as in flags.
  private static func directory(of path: String) -> String? {
    guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return nil }
    return String(path[..<slash])
  }
}
