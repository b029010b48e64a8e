import Glibc
import Threading

/// A memory allocation that uses huge pages if it is large and the system grants them. Reads of an
/// index are scattered, and with small pages much of their time would be spent on TLB misses.
///
/// `@unchecked Sendable`: it only owns the memory; see ``FixedArray`` for access to it.
final class LargeMemory: @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  let byteCount: Int
  private let isMapped: Bool
  private static let hugePage = 2 << 20

  /// The rest of the thread's reserve, if it has one.
  private static let reserve: pthread_key_t = {
    var key = pthread_key_t()
    precondition(pthread_key_create(&key, nil) == 0, "there is no key for the reserve of a thread")
    return key
  }()

  /// Allocates uninitialised memory.
  ///
  /// Ends the process if there is none (``Shortage``). ``withReserve(_:_:)`` makes that an error
  /// for the largest allocations: dividing features into groups, methods without a grid, loading
  /// and rebuilding an index. The selections of filters, the columns of properties and the threads
  /// that help with an index file have no reserve.
  init(byteCount: Int) {
    isMapped = byteCount >= 2 * LargeMemory.hugePage
    let alignment = isMapped ? LargeMemory.hugePage : 64
    let size = (byteCount + alignment - 1) & ~(alignment - 1)
    let memory =
      isMapped
      ? LargeMemory.cut(size) ?? LargeMemory.map(size) : LargeMemory.allocate(size, alignment)
    guard let memory else { Shortage.end("out of memory", bytes: byteCount) }
    start = memory
    self.byteCount = size
  }

  /// Calls `body` with memory set aside, from which this thread's large allocations are cut meanwhile,
  /// so that they can't fail while it lasts. Returns nil without calling it if there isn't that much
  /// memory.
  ///
  /// Each of the allocations is freed on its own and doesn't return to the reserve. The rest of it is
  /// freed when `body` returns.
  static func withReserve<R, E>(_ byteCount: Int, _ body: () throws(E) -> R) throws(E) -> R? {
    guard byteCount >= 2 * hugePage else { return try body() }
    let size = (byteCount + hugePage - 1) & ~(hugePage - 1)
    guard let start = map(size) else { return nil }
    var rest = UnsafeMutableRawBufferPointer(start: start, count: size)
    return try withUnsafeMutablePointer(to: &rest) { (rest) throws(E) in
      let outer = pthread_getspecific(reserve)
      pthread_setspecific(reserve, rest)
      defer {
        pthread_setspecific(reserve, outer)
        if rest.pointee.count > 0 { munmap(rest.pointee.baseAddress, rest.pointee.count) }
      }
      return try body()
    }
  }

  /// Whether memory can be had just now, for what takes it in small pieces.
  static func isAvailable(_ byteCount: Int) -> Bool { withReserve(byteCount) {} != nil }

  /// Cuts memory from the thread's reserve if there is enough left.
  private static func cut(_ size: Int) -> UnsafeMutableRawPointer? {
    guard
      let rest = pthread_getspecific(reserve)?
        .assumingMemoryBound(to: UnsafeMutableRawBufferPointer.self), rest.pointee.count >= size
    else { return nil }
    defer { rest.pointee = UnsafeMutableRawBufferPointer(rebasing: rest.pointee[size...]) }
    return rest.pointee.baseAddress
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
