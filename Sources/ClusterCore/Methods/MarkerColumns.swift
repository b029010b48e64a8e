/// The columns of the properties that determine how markers collide.
public struct MarkerColumns: Sendable {
  let priorities: PropertyColumn?
  let clusterKeys: KeyColumn?

  /// Creates the columns of the properties that a request names.
  public init(priorities: PropertyColumn? = nil, clusterKeys: KeyColumn? = nil) {
    self.priorities = priorities
    self.clusterKeys = clusterKeys
  }
}
