/// The reason why there is no such shape.
public struct ShapeError: Error, Hashable, Sendable {
  /// A sentence for the client.
  public let detail: String
  /// Whether a coordinate is none on Earth.
  public let isBeyondWorld: Bool

  init(_ detail: String, isBeyondWorld: Bool = false) {
    (self.detail, self.isBeyondWorld) = (detail, isBeyondWorld)
  }
}
