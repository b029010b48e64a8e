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
