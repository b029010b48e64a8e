/// A fixed number of plain values that are still to be written; ``fixed`` hands them to readers.
///
/// `@unchecked Sendable`: threads that share it write different values, or none.
struct WritableArray<Element: BitwiseCopyable>: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<Element>
  let count: Int
  private let memory: LargeMemory

  /// Allocates uninitialised memory for `count` values, all of which are to be written.
  init(count: Int) {
    self.count = count
    memory = LargeMemory(byteCount: max(count, 1) * MemoryLayout<Element>.stride)
    pointer = memory.start.bindMemory(to: Element.self, capacity: max(count, 1))
  }

  /// Creates a copy of `count` values.
  init(copying source: UnsafePointer<Element>, count: Int) {
    self.init(count: count)
    pointer.update(from: source, count: count)
  }

  var byteCount: Int { count * MemoryLayout<Element>.stride }

  /// The values, in the same memory. Nothing may be written afterwards.
  var fixed: FixedArray<Element> { FixedArray(memory, count: count) }
}
