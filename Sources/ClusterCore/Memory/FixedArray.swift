/// A fixed number of plain values outside of the Swift heap's arrays: no reference count, bounds
/// check or copy-on-write test in the loops that read it.
///
/// `@unchecked Sendable`: it is written only while its creator is its sole owner, and read-only
/// afterwards; the memory is freed when the last owner lets go.
final class FixedArray<Element: BitwiseCopyable>: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<Element>
  let count: Int
  private let memory: LargeMemory

  /// Uninitialised memory for `count` values, all of which the caller must write.
  convenience init(uninitialized count: Int) {
    self.init(
      LargeMemory(byteCount: max(count, 1) * MemoryLayout<Element>.stride), count: count)
  }

  /// `count` values at the beginning of some memory, which is large enough. What it held before is
  /// given up.
  init(_ memory: LargeMemory, count: Int) {
    precondition(memory.byteCount >= count * MemoryLayout<Element>.stride)
    self.memory = memory
    self.count = count
    pointer = memory.start.bindMemory(to: Element.self, capacity: max(count, 1))
  }

  /// Some of the values, in the same memory, which lives as long as either.
  func slice(_ range: Range<Int>) -> FixedArray {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return FixedArray(sharing: memory, pointer + range.lowerBound, count: range.count)
  }

  private init(sharing memory: LargeMemory, _ pointer: UnsafeMutablePointer<Element>, count: Int) {
    (self.memory, self.pointer, self.count) = (memory, pointer, count)
  }

  /// A copy of some values.
  convenience init(copying source: UnsafePointer<Element>, count: Int) {
    self.init(uninitialized: count)
    pointer.update(from: source, count: count)
  }

  var byteCount: Int { count * MemoryLayout<Element>.stride }
}

extension FixedArray {
  /// What its elements are found by when the first of them has the given number.
  func startingAt(_ number: Int) -> UnsafePointer<Element> {
    UnsafePointer(pointer).numbered(from: number)
  }
}
