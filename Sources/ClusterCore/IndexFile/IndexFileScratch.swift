/// Space for what an ``IndexFileSorter`` doesn't keep in memory.
public protocol IndexFileScratch: AnyObject {
  /// Appends bytes.
  func append(_ bytes: UnsafeRawBufferPointer) throws

  /// Fills `target` with the bytes that were appended from `offset` on.
  func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws
}
