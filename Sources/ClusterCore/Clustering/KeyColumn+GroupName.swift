extension KeyColumn {
  /// The key of the group with a rank; nil for the features without a value.
  func groupKey(_ rank: Int) -> [UInt8]? { rank == 0 ? nil : keys[rank] }

  /// The rank of a group's key; nil if no feature has it.
  func rank(of name: GroupName) -> UInt32? {
    switch name.key {
    case nil: return 0
    case .whole(let key): return rank(of: key)
    case .hash: return (1..<keys.count).first { name.isOf(key: keys[$0]) }.map(UInt32.init)
    }
  }
}
