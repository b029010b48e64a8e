import CHints

extension FeatureIndex {
  /// Prefetches the first bytes of a record.
  @inline(__always)
  func prefetchRecord(at ordinal: Int) {
    let base = record(at: ordinal).base
    chints_prefetch(base)
    chints_prefetch(base + 64)
    chints_prefetch(base + 128)
  }
}
