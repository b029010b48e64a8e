/// Why a file of keys can't be used. It tells nothing of the secrets in it.
public struct AccessFileError: Error, Sendable, CustomStringConvertible {
  /// The path of the file.
  public let path: String
  /// What is wrong, and where.
  public let reason: String

  /// The path and the reason.
  public var description: String { "\(path): \(reason)" }
}
