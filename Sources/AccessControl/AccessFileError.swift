/// The reason why a file of keys can't be used, without the secrets in it.
public struct AccessFileError: Error, Sendable, CustomStringConvertible {
  /// The path of the file.
  public let path: String
  /// The error, and its place.
  public let reason: String

  /// The path and the reason.
  public var description: String { "\(path): \(reason)" }
}

/// The error of a file, before its path is known.
struct Fault: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
