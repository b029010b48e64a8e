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

/// Plain values that become more, in memory that a ``FixedArray`` can take over without a copy.
struct GrowingArray<Element: BitwiseCopyable> {
  private var memory: LargeMemory
  private(set) var pointer: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private var capacity: Int

  /// An empty array with room for some values.
  init(capacity: Int) {
    self.capacity = max(capacity, 16)
    memory = LargeMemory(byteCount: self.capacity * MemoryLayout<Element>.stride)
    pointer = memory.start.bindMemory(to: Element.self, capacity: self.capacity)
  }

  /// A copy with some room to grow.
  init(copying other: GrowingArray) {
    self.init(capacity: other.count + other.count / 8)
    pointer.update(from: other.pointer, count: other.count)
    count = other.count
  }

  mutating func append(_ element: Element) {
    if count == capacity { reserve(capacity * 2) }
    (pointer + count).initialize(to: element)
    count += 1
  }

  /// Forgets the values and keeps the memory, which nobody else may have taken over.
  mutating func removeAll() { count = 0 }

  private mutating func reserve(_ newCapacity: Int) {
    let larger = LargeMemory(byteCount: newCapacity * MemoryLayout<Element>.stride)
    let target = larger.start.bindMemory(to: Element.self, capacity: newCapacity)
    target.update(from: pointer, count: count)
    (memory, pointer, capacity) = (larger, target, newCapacity)
  }

  /// The values, which must not be appended to any more.
  var fixed: FixedArray<Element> { FixedArray(memory, count: count) }

  /// As above, in no more memory than they need where much of it is left.
  var trimmed: FixedArray<Element> {
    capacity - count > count / 8 ? FixedArray(copying: pointer, count: count) : fixed
  }
}

extension GrowingArray<UInt8> {
  mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress else { return }
    if count + bytes.count > capacity { reserve(max(capacity * 2, count + bytes.count)) }
    UnsafeMutableRawPointer(pointer + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }
}
