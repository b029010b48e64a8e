/// A growing array of plain values whose memory a ``FixedArray`` can take over without a copy.
struct GrowingArray<Element: BitwiseCopyable> {
  private var memory: LargeMemory
  private(set) var pointer: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private var capacity: Int

  /// Creates an empty array with room for `capacity` values.
  init(capacity: Int) {
    self.capacity = max(capacity, 16)
    memory = LargeMemory(byteCount: self.capacity * MemoryLayout<Element>.stride)
    pointer = memory.start.bindMemory(to: Element.self, capacity: self.capacity)
  }

  /// Creates a copy with an eighth more room.
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

  /// Removes all values but keeps the memory, which no ``FixedArray`` may have taken over.
  mutating func removeAll() { count = 0 }

  /// Removes the last values but keeps the memory.
  @inline(__always)
  mutating func removeLast(_ removed: Int) { count -= removed }

  /// Makes sure that there is memory for `count` values.
  mutating func makeRoom(for count: Int) {
    if count > capacity { reserve(max(capacity * 2, count)) }
  }

  private mutating func reserve(_ newCapacity: Int) {
    let larger = LargeMemory(byteCount: newCapacity * MemoryLayout<Element>.stride)
    let target = larger.start.bindMemory(to: Element.self, capacity: newCapacity)
    target.update(from: pointer, count: count)
    (memory, pointer, capacity) = (larger, target, newCapacity)
  }

  /// The values, in the same memory. Nothing may be appended afterwards.
  var fixed: FixedArray<Element> { FixedArray(memory, count: count) }

  /// The values like ``fixed``, but copied if more than a ninth of the capacity is unused.
  var trimmed: FixedArray<Element> {
    capacity - count > count / 8 ? WritableArray(copying: pointer, count: count).fixed : fixed
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
