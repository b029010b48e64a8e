/// The group that an annotation's id names, and the test for its features.
struct GroupPart: Sendable {
  let group: ClusterGroup
  /// The keys of the grouping property; nil if no feature has it, so that all are in the group without a value.
  let keys: KeyColumn?
  /// The rank of the group among the keys.
  let rank: UInt32

  /// Nil if no feature is in such a group.
  ///
  /// - Parameter lookUp: Returns the grouping property of a group and its keys; nil if no feature has it.
  init?(
    _ name: GroupName, _ lookUp: (GroupName) -> (property: [UInt8], keys: KeyColumn)?
  ) {
    guard let (property, keys) = lookUp(name) else {
      guard name.isOf(key: nil) else { return nil }
      (group, self.keys, rank) = (ClusterGroup(name: name, key: nil), nil, 0)
      return
    }
    guard let rank = keys.rank(of: name) else { return nil }
    (group, self.keys) = (Grouping(property: property, keys: keys).group(Int(rank)), keys)
    self.rank = rank
  }
}
