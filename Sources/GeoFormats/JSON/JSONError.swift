/// The reason why a text cannot be parsed as JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence fragment such as "a string is not closed".
  public var reason: String
  /// The byte offset of the error in the text, if it is known.
  public var offset: Int?

  /// There is no memory to parse the text, which may be valid.
  public static let outOfMemory = JSONError(reason: "out of memory")

  /// Creates an error.
  public init(reason: String, offset: Int? = nil) {
    self.reason = reason
    self.offset = offset
  }

  /// The reason, with the offset if it is known.
  public var description: String {
    guard let offset else { return reason }
    return "\(reason), at byte \(offset)"
  }
}
