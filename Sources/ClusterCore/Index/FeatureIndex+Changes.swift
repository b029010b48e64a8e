extension FeatureIndex {
  /// A new index with changes applied, in order; this one stays as it is.
  ///
  /// Few changes copy the blocks that they are in: O(blocks + k) for k features. Many build the index
  /// anew: O(n + k log k).
  public func applying(_ changes: [FeatureChange]) throws(RecordArena.Full) -> ChangedIndex {
    let size = changes.reduce(0) { $0 + $1.count }
    guard count + size <= FeatureIndex.maximumCount else { throw RecordArena.Full() }
    var edit = IndexEdit(self)
    for change in changes {
      switch change {
      case .upsert(let batch): try edit.put(batch)
      case .remove(let ids): edit.remove(ids)
      }
    }
    return edit.make()
  }

  /// As above, of one change.
  public func applying(_ change: FeatureChange) throws(RecordArena.Full) -> FeatureIndex {
    try applying([change]).index
  }
}
