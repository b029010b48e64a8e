/// A fixed number of plain values that loops read without reference counting, bounds checks or
/// copy-on-write checks.
///
/// They are written before, in a ``WritableArray`` or ``GrowingArray``. The memory is freed when the last owner
/// releases it.
///
/// `@unchecked Sendable`: it is read-only.
final class FixedArray<Element: BitwiseCopyable>: @unchecked Sendable {
  let pointer: UnsafePointer<Element>
  let count: Int
  private let memory: LargeMemory

  /// Creates an array of the `count` values at the start of `memory`.
  init(_ memory: LargeMemory, count: Int) {
    precondition(memory.byteCount >= count * MemoryLayout<Element>.stride)
    self.memory = memory
    self.count = count
    pointer = UnsafePointer(memory.start.assumingMemoryBound(to: Element.self))
  }

  /// Returns an array of some of the values that shares this array's memory.
  func slice(_ range: Range<Int>) -> FixedArray {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return FixedArray(sharing: memory, pointer + range.lowerBound, count: range.count)
  }

  private init(sharing memory: LargeMemory, _ pointer: UnsafePointer<Element>, count: Int) {
    (self.memory, self.pointer, self.count) = (memory, pointer, count)
  }

  /// The values, which are lent while the array lives.
  @inline(__always)
  var buffer: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: pointer, count: count) }

  var byteCount: Int { count * MemoryLayout<Element>.stride }
}

extension FixedArray {
  /// Returns a pointer that is subscripted by numbers from `number` on instead of from 0.
  func startingAt(_ number: Int) -> UnsafePointer<Element> {
    pointer.numbered(from: number)
  }
}
