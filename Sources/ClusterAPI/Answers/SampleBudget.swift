/// How much of the properties of sampled features is read, as some may have very large ones.
struct SampleBudget {
  private var bytes: Int

  /// A budget of so many bytes, which are read in some fifty microseconds by default.
  init(bytes: Int = 64 << 10) { self.bytes = bytes }

  /// Whether properties may be read; if so, that much of the budget is spent.
  mutating func admits(_ properties: UnsafeRawBufferPointer) -> Bool {
    guard properties.count <= bytes else { return false }
    bytes -= properties.count
    return true
  }
}
