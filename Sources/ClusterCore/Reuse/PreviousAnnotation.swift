/// An annotation on the client's screen.
public struct PreviousAnnotation: Sendable {
  /// Its id in an earlier answer.
  public var id: String
  /// The coordinate at which it is drawn.
  public var coordinate: Coordinate

  /// Creates an annotation from its id and coordinate.
  public init(id: String, coordinate: Coordinate) {
    self.id = id
    self.coordinate = coordinate
  }
}
