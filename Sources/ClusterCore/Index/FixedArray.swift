/// A fixed number of plain values outside of the Swift heap's arrays: no reference count, bounds
/// check or copy-on-write test in the loops that read it.
///
/// `@unchecked Sendable`: it is written only while its creator is its sole owner, and read-only
/// afterwards; the memory is freed when the last owner lets go.
final class FixedArray<Element: BitwiseCopyable>: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<Element>
  let count: Int

  /// Uninitialised memory for `count` values, all of which the caller must write.
  init(uninitialized count: Int) {
    self.count = count
    pointer = .allocate(capacity: max(count, 1))
  }

  /// A copy of some values.
  convenience init(_ values: UnsafeBufferPointer<Element>) {
    self.init(uninitialized: values.count)
    if let source = values.baseAddress { pointer.update(from: source, count: values.count) }
  }

  deinit { pointer.deallocate() }

  var byteCount: Int { count * MemoryLayout<Element>.stride }
}
