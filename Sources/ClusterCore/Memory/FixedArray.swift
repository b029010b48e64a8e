/// A fixed number of plain values that loops read without reference counting and bounds checks.
/// They were written to a ``WritableArray`` or ``GrowingArray``.
///
/// `@unchecked Sendable`: it is read-only.
final class FixedArray<Element: BitwiseCopyable>: @unchecked Sendable {
  let pointer: UnsafePointer<Element>
  let count: Int
  private let memory: LargeMemory

  /// Creates an array of the `count` values at the start of `memory`.
  convenience init(_ memory: LargeMemory, count: Int) {
    precondition(memory.byteCount >= count * MemoryLayout<Element>.stride)
    self.init(memory, memory.start.assumingMemoryBound(to: Element.self), count: count)
  }

  /// Returns an array of some of the values that shares this array's memory.
  func slice(_ range: Range<Int>) -> FixedArray {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    return FixedArray(memory, pointer + range.lowerBound, count: range.count)
  }

  private init(_ memory: LargeMemory, _ pointer: UnsafePointer<Element>, count: Int) {
    (self.memory, self.pointer, self.count) = (memory, pointer, count)
  }

  /// The values, which are lent while the array lives.
  @inline(__always)
  var buffer: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: pointer, count: count) }

  var byteCount: Int { count * MemoryLayout<Element>.stride }

  /// The array if one of its values is such; nil otherwise.
  func holding(_ isSuch: (Element) -> Bool) -> FixedArray? {
    buffer.contains(where: isSuch) ? self : nil
  }
}
