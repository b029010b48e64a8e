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

  /// The values, in the same memory. None may be written after it was handed to a reader.
  var fixed: FixedArray<Element> { FixedArray(memory, count: count) }
}

extension UnsafePointer {
  /// Returns a pointer that is subscripted by numbers from `number` on instead of from 0.
  func numbered(from number: Int) -> UnsafePointer {
    // Integer arithmetic, because a pointer may not leave its allocation. Reads never do.
    let start = Int(bitPattern: self) &- number &* MemoryLayout<Pointee>.stride
    guard let result = UnsafePointer(bitPattern: start) else {
      preconditionFailure("the memory starts below its first number")
    }
    return result
  }
}
