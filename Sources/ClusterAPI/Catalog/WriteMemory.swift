import Synchronization

/// Limits the memory of all writes that wait or are being carried out.
final class WriteMemory: Sendable {
  /// The memory, in bytes, above which writes are refused for now.
  static let limit = 512 << 20
  /// What a write takes beside its features, in bytes.
  private static let overhead = 1024

  private let used = Atomic<Int>(0)

  /// Reserves memory for a write; nil if too much is taken.
  func share(of bytes: Int) -> Share? {
    let share = Share(self, bytes + WriteMemory.overhead)
    return used.load(ordering: .relaxed) <= WriteMemory.limit ? share : nil
  }

  /// The memory of one write, which is given back with the last reference to it.
  final class Share: Sendable {
    private let memory: WriteMemory
    private let bytes: Atomic<Int>

    fileprivate init(_ memory: WriteMemory, _ bytes: Int) {
      self.memory = memory
      self.bytes = Atomic(bytes)
      memory.used.add(bytes, ordering: .relaxed)
    }

    deinit { memory.used.subtract(bytes.load(ordering: .relaxed), ordering: .relaxed) }

    /// Changes the size once the write has been read; false if that is too much, unless it is alone.
    func resize(to bytes: Int) -> Bool {
      let size = bytes + WriteMemory.overhead
      let growth = size - self.bytes.exchange(size, ordering: .relaxed)
      let (_, used) = memory.used.add(growth, ordering: .relaxed)
      return used <= WriteMemory.limit || used <= size
    }
  }
}
