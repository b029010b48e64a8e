import Synchronization

/// The memory that all writes take that have come and aren't done.
final class WriteMemory: Sendable {
  /// How much may be taken, in bytes, before writes are refused for now.
  static let limit = 512 << 20
  /// What a write takes beside its features.
  private static let overhead = 1024

  private let used = Atomic<Int>(0)

  /// Sets memory aside; nil if too much is taken.
  func share(of bytes: Int) -> Share? {
    let share = Share(self, bytes + WriteMemory.overhead)
    return used.load(ordering: .relaxed) <= WriteMemory.limit ? share : nil
  }

  /// The part of one write, given back with its last reference.
  final class Share: Sendable {
    private let memory: WriteMemory
    private let bytes: Atomic<Int>

    fileprivate init(_ memory: WriteMemory, _ bytes: Int) {
      self.memory = memory
      self.bytes = Atomic(bytes)
      memory.used.add(bytes, ordering: .relaxed)
    }

    deinit { memory.used.subtract(bytes.load(ordering: .relaxed), ordering: .relaxed) }

    /// Makes it another size, now that the write has been read.
    ///
    /// - Returns: whether that is not too much. One alone never is.
    func resize(to bytes: Int) -> Bool {
      let size = bytes + WriteMemory.overhead
      let growth = size - self.bytes.exchange(size, ordering: .relaxed)
      let (_, used) = memory.used.add(growth, ordering: .relaxed)
      return used <= WriteMemory.limit || used <= size
    }
  }
}
