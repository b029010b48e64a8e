extension FeatureStore {
  /// What looks for damage that this store hasn't looked for; nil if there is nothing to be looked for.
  ///
  /// - Parameter keys: the collections whose index came from a file.
  public func verifier(ofRowsOf keys: [Int64]) -> StoreVerifier? {
    guard let core = try? opened(), core.needsPageCheck || !keys.isEmpty else { return nil }
    return StoreVerifier(
      path: core.connection.path, keys: keys, checksStructure: core.needsPageCheck)
  }
}
