import Glibc

/// Memory that may be large: then it lies on huge pages where the system grants them. An index is
/// read all over the place, and with small pages a good part of that time goes into finding the
/// pages.
///
/// `@unchecked Sendable`: it only owns the memory; see ``FixedArray`` for who may touch it.
final class LargeMemory: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  let byteCount: Int
  private static let hugePage = 2 << 20

  /// Uninitialised memory. Running out of memory ends the process, as everywhere in Swift.
  init(byteCount: Int) {
    let isLarge = byteCount >= 2 * LargeMemory.hugePage
    let alignment = isLarge ? LargeMemory.hugePage : 64
    let size = (byteCount + alignment - 1) & ~(alignment - 1)
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, alignment, size) == 0, let memory else {
      fatalError("out of memory: \(byteCount) bytes can't be had")
    }
    // A hint: where it is refused, the pages are small.
    if isLarge { madvise(memory, size, MADV_HUGEPAGE) }
    start = memory
    self.byteCount = size
  }

  deinit { free(start) }
}
