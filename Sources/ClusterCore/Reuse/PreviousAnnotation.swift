/// An annotation that is on screen now.
public struct PreviousAnnotation: Sendable {
  /// Its id, as an earlier answer gave it.
  public var id: String
  /// Where it is drawn.
  public var coordinate: Coordinate

  /// Creates an annotation from what the client says of it.
  public init(id: String, coordinate: Coordinate) {
    self.id = id
    self.coordinate = coordinate
  }
}
