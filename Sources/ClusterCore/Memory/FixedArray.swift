/// A fixed number of plain values that loops read without reference counting, bounds checks or
/// copy-on-write checks.
///
/// `@unchecked Sendable`: it is written only while its creator is its sole owner, and read-only
/// afterwards; the memory is freed when the last owner lets go.
final class FixedArray<Element: BitwiseCopyable>: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<Element>
  let count: Int
  private let memory: LargeMemory

  /// Allocates uninitialised memory for `count` values, all of which the caller must write.
  convenience init(uninitialized count: Int) {
    self.init(
      LargeMemory(byteCount: max(count, 1) * MemoryLayout<Element>.stride), count: count)
  }

  /// Creates an array of `count` values at the start of `memory`, whose previous contents are lost.
  init(_ memory: LargeMemory, count: Int) {
    precondition(memory.byteCount >= count * MemoryLayout<Element>.stride)
    self.memory = memory
    self.count = count
    pointer = memory.start.bindMemory(to: Element.self, capacity: max(count, 1))
  }

  /// Returns an array of some of the values that shares this array's memory.
  func slice(_ range: Range<Int>) -> FixedArray {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return FixedArray(sharing: memory, pointer + range.lowerBound, count: range.count)
  }

  private init(sharing memory: LargeMemory, _ pointer: UnsafeMutablePointer<Element>, count: Int) {
    (self.memory, self.pointer, self.count) = (memory, pointer, count)
  }

  /// Creates a copy of `count` values.
  convenience init(copying source: UnsafePointer<Element>, count: Int) {
    self.init(uninitialized: count)
    pointer.update(from: source, count: count)
  }

  /// The values, which are lent while the array lives.
  @inline(__always)
  var buffer: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: pointer, count: count) }

  var byteCount: Int { count * MemoryLayout<Element>.stride }
}

extension FixedArray {
  /// Returns a pointer that is subscripted by numbers from `number` on instead of from 0.
  func startingAt(_ number: Int) -> UnsafePointer<Element> {
    UnsafePointer(pointer).numbered(from: number)
  }
}
