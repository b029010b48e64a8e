/// The reason why there is no such shape.
public struct ShapeError: Error, Hashable, Sendable {
  /// A sentence for the client.
  public let detail: String

  init(_ detail: String) { self.detail = detail }
}
