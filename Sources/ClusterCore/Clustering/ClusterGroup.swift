/// One of the groups in which features are clustered apart from each other.
public struct ClusterGroup: Sendable {
  /// Its part of annotations' ids.
  public let name: GroupName
  /// The value that its features share, as a key; nil for those without one.
  public let key: [UInt8]?
}
