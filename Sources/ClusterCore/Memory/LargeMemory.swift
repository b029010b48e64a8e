import Glibc

/// Memory that may be large: then it lies on huge pages where the system grants them. An index is
/// read all over the place, and with small pages a good part of that time goes into finding the
/// pages.
///
/// `@unchecked Sendable`: it only owns the memory; see ``FixedArray`` for who may touch it.
final class LargeMemory: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  let byteCount: Int
  private let isMapped: Bool
  private static let hugePage = 2 << 20

  /// Uninitialised memory. Running out of memory ends the process, as everywhere in Swift.
  init(byteCount: Int) {
    isMapped = byteCount >= 2 * LargeMemory.hugePage
    let alignment = isMapped ? LargeMemory.hugePage : 64
    let size = (byteCount + alignment - 1) & ~(alignment - 1)
    let memory = isMapped ? LargeMemory.map(size) : LargeMemory.allocate(size, alignment)
    guard let memory else { fatalError("out of memory: \(byteCount) bytes can't be had") }
    start = memory
    self.byteCount = size
  }

  private static func allocate(_ size: Int, _ alignment: Int) -> UnsafeMutableRawPointer? {
    var memory: UnsafeMutableRawPointer?
    return posix_memalign(&memory, alignment, size) == 0 ? memory : nil
  }

  /// Pages of the system's own, which go back to it as soon as they are given up: an allocator keeps
  /// them among others that are still in use. Huge ones begin at multiples of their size.
  private static func map(_ size: Int) -> UnsafeMutableRawPointer? {
    let (all, wanted) = (size + hugePage, PROT_READ | PROT_WRITE)
    guard let mapped = mmap(nil, all, wanted, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      mapped != MAP_FAILED
    else { return nil }
    let start = UnsafeMutableRawPointer(mapped).alignedUp(toMultipleOf: hugePage)
    let before = start - UnsafeMutableRawPointer(mapped)
    if before > 0 { munmap(mapped, before) }
    if before < hugePage { munmap(start + size, hugePage - before) }
    // A hint: where it is refused, the pages are small.
    madvise(start, size, MADV_HUGEPAGE)
    return start
  }

  deinit {
    if isMapped { munmap(start, byteCount) } else { free(start) }
  }
}
