import Glibc

/// A memory allocation that uses huge pages if it is large and the system grants them. Reads of an
/// index are scattered, and with small pages much of their time would be spent on TLB misses.
///
/// `@unchecked Sendable`: it only owns the memory; see ``FixedArray`` for who may touch it.
final class LargeMemory: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  let byteCount: Int
  private let isMapped: Bool
  private static let hugePage = 2 << 20

  /// Allocates uninitialised memory. Traps if there is none, like any allocation in Swift.
  init(byteCount: Int) {
    isMapped = byteCount >= 2 * LargeMemory.hugePage
    let alignment = isMapped ? LargeMemory.hugePage : 64
    let size = (byteCount + alignment - 1) & ~(alignment - 1)
    let memory = isMapped ? LargeMemory.map(size) : LargeMemory.allocate(size, alignment)
    guard let memory else { fatalError("out of memory: \(byteCount) bytes can't be had") }
    start = memory
    self.byteCount = size
  }

  /// Whether that much memory can be allocated now. A small size is always assumed to be available.
  ///
  /// This tells the requests that would need more than there is before they begin. It reserves nothing.
  static func isAvailable(byteCount: Int) -> Bool {
    guard byteCount >= 2 * hugePage else { return true }
    guard let memory = map((byteCount + hugePage - 1) & ~(hugePage - 1)) else { return false }
    munmap(memory, (byteCount + hugePage - 1) & ~(hugePage - 1))
    return true
  }

  private static func allocate(_ size: Int, _ alignment: Int) -> UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    return posix_memalign(&memory, alignment, size) == 0 ? memory : nil
  }

  /// Maps pages that return to the system as soon as they are freed, whereas an allocator could
  /// keep them. The start is aligned to a huge page.
  private static func map(_ size: Int) -> UnsafeMutableRawPointer? {
    let (all, wanted) = (size + hugePage, PROT_READ | PROT_WRITE)
    guard let mapped = mmap(nil, all, wanted, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      mapped != MAP_FAILED
    else { return nil }
    let start = UnsafeMutableRawPointer(mapped).alignedUp(toMultipleOf: hugePage)
    let before = start - UnsafeMutableRawPointer(mapped)
    if before > 0 { munmap(mapped, before) }
    if before < hugePage { munmap(start + size, hugePage - before) }
    // This is a hint. If it is refused, the pages are small.
    madvise(start, size, MADV_HUGEPAGE)
    return start
  }

  deinit {
    if isMapped { munmap(start, byteCount) } else { free(start) }
  }
}
