/// A rejected feature.
public struct FeatureProblem: Hashable, Sendable {
  /// The feature: `/features/7` (from 0), `/lines/7` (from 1), or empty for a Feature at the root.
  public var pointer: String
  /// The error, for the client.
  public var detail: String

  /// Creates a problem.
  public init(pointer: String, detail: String) {
    self.pointer = pointer
    self.detail = detail
  }
}
