/// Why a table can't be attached or detached: a sentence of one line for people.
public struct AttachFailure: Error, CustomStringConvertible {
  /// The sentence.
  public let description: String
}
