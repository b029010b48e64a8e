/// The values that markers go by.
public struct MarkerColumns: Sendable {
  let priorities: PropertyColumn?
  let clusterKeys: KeyColumn?

  /// The values of the properties that a request names.
  public init(priorities: PropertyColumn? = nil, clusterKeys: KeyColumn? = nil) {
    self.priorities = priorities
    self.clusterKeys = clusterKeys
  }
}
