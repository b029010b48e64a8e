/// One of the groups that are clustered separately.
public struct ClusterGroup: Sendable {
  /// The part of annotations' ids that names it.
  public let name: GroupName
  /// The key of the value that its features share; nil for the features without a value.
  public let key: [UInt8]?
}
