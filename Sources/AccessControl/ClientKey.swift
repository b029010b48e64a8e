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
