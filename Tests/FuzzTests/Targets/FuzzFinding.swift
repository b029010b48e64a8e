/// What should hold of an input, and doesn't.
public struct FuzzFinding: Error, CustomStringConvertible {
  /// What it is.
  public let description: String

  /// Throws a finding unless a condition holds.
  static func unless(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    if !condition { throw FuzzFinding(description: text()) }
  }
}
