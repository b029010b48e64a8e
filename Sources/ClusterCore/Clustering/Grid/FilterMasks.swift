import CHints
import Glibc
import Synchronization

/// Bits for the features of each block that pass a filter, as far as these are known.
///
/// `@unchecked Sendable`: the memory of a block is written by the thread that has claimed it, and read by others
/// after they have seen that it is filled.
final class FilterMasks: @unchecked Sendable {
  /// The passing features of a block.
  struct Block: BitwiseCopyable {
    /// The sum of its features that pass, numbered from the first of the block.
    var sum = PointSum()
    var first = 0
  }

  private enum State {
    static let unknown: UInt8 = 0
    static let claimed: UInt8 = 1
    static let filled: UInt8 = 2
  }

  static let wordsPerBlock = PointIndex.maximumBlockCount / 64

  /// The serials of the blocks.
  let serials: [UInt64]
  private let states: UnsafeMutablePointer<Atomic<UInt8>>
  private let words: UnsafeMutablePointer<UInt64>
  private let sums: UnsafeMutablePointer<Block>

  /// Creates the masks of a filter for an index, of which nothing is known but what an earlier version knows of
  /// blocks that are still there. Nil if there is no memory.
  init?(of index: FeatureIndex, after before: FilterMasks?) {
    serials = index.serials
    // The system zeroes pages on first access, so untouched ones cost little.
    let count = max(serials.count, 1)
    guard let memory = calloc(count, FilterMasks.bytesPerBlock) else { return nil }
    words = memory.bindMemory(to: UInt64.self, capacity: count * FilterMasks.wordsPerBlock)
    sums = UnsafeMutableRawPointer(words + count * FilterMasks.wordsPerBlock)
      .bindMemory(to: Block.self, capacity: count)
    states = UnsafeMutableRawPointer(sums + count)
      .bindMemory(to: Atomic<UInt8>.self, capacity: count)
    guard let before else { return }
    for case (let number, let match?) in index.matches(before.serials).enumerated() {
      guard before.states[match].load(ordering: .acquiring) == State.filled else { continue }
      self.words(number).update(
        from: before.words(match), count: FilterMasks.wordsPerBlock)
      self.sums[number] = before.sums[match]
      self.states[number].store(State.filled, ordering: .releasing)
    }
  }

  deinit { free(words) }

  /// The memory that it takes, in bytes, with the serials.
  static func byteCount(blocks: Int) -> Int { 256 + blocks * (8 + bytesPerBlock) }

  private static let bytesPerBlock =
    wordsPerBlock * MemoryLayout<UInt64>.stride + MemoryLayout<Block>.stride + 1

  private func words(_ number: Int) -> UnsafeMutablePointer<UInt64> {
    words + number * FilterMasks.wordsPerBlock
  }

  /// The bits of a block; nil if they aren't known.
  @inline(__always)
  func block(_ number: Int) -> (words: UnsafePointer<UInt64>, block: Block)? {
    guard states[number].load(ordering: .acquiring) == State.filled else { return nil }
    return (UnsafePointer(words(number)), sums[number])
  }

  /// Prefetches the bits of a block that are known.
  func prefetch(_ number: Int) {
    guard states[number].load(ordering: .relaxed) == State.filled else { return }
    chints_prefetch(words(number))
    chints_prefetch(words(number) + 8)
    chints_prefetch(sums + number)
  }

  /// Keeps a block, unless another thread does.
  func remember(_ number: Int, _ mask: UnsafePointer<UInt64>, _ block: Block) {
    let (isFirst, _) = states[number].compareExchange(
      expected: State.unknown, desired: State.claimed, ordering: .relaxed)
    guard isFirst else { return }
    words(number).update(from: mask, count: FilterMasks.wordsPerBlock)
    sums[number] = block
    states[number].store(State.filled, ordering: .releasing)
  }
}
