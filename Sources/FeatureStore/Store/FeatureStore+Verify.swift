extension FeatureStore {
  /// Returns a verifier for what this store hasn't checked; nil if it has checked everything.
  ///
  /// - Parameter keys: the collections whose index was read from a file.
  public func verifier(ofRowsOf keys: [Int64]) -> StoreVerifier? {
    guard let core = try? opened(), core.needsPageCheck || !keys.isEmpty else { return nil }
    return StoreVerifier(
      path: core.connection.path, keys: keys, checksStructure: core.needsPageCheck)
  }
}
