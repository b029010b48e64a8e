import ClusterCore

extension Statement {
  /// Binds an id as it lies in the column `id` of `features`. A text is borrowed.
  func bindBorrowed(_ id: FeatureRecord.RawID, at index: Int32) throws(StoreError) {
    switch id {
    case .integer(let value, _): try bind(value, at: index)
    case .text(let bytes): try bindBorrowed(text: bytes, at: index)
    }
  }
}
