/// Where a ``IndexFileSorter`` puts what it can't keep in memory.
public protocol IndexFileScratch: AnyObject {
  /// Appends bytes.
  func append(_ bytes: UnsafeRawBufferPointer) throws

  /// Fills some memory with what was appended from an offset on.
  func read(at offset: Int, into target: UnsafeMutableRawBufferPointer) throws
}
