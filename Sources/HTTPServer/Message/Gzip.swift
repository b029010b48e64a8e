import CDeflate
import Glibc
import Threading

/// Compression of response bodies by libdeflate.
enum Gzip {
  /// The gzip form of a body, in memory of its own.
  ///
  /// `@unchecked Sendable`: the memory is written before the initializer returns and freed by
  /// `deinit` alone.
  final class Packed: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    fileprivate init?(_ body: [UInt8], _ compressor: Compressor) {
      guard let memory = malloc(body.count) else { return nil }
      let count = body.withUnsafeBytes {
        libdeflate_gzip_compress(compressor.pointer, $0.baseAddress, $0.count, memory, $0.count)
      }
      // Gives back the memory that the body did not need; an allocator that cannot shrink a block
      // keeps it.
      bytes = UnsafeRawBufferPointer(start: realloc(memory, max(count, 1)) ?? memory, count: count)
    }

    deinit { free(UnsafeMutableRawPointer(mutating: bytes.baseAddress)) }
  }

  /// A libdeflate compressor.
  ///
  /// `@unchecked Sendable`: its working memory serves one caller at a time, because the pool hands
  /// each compressor to one caller.
  fileprivate final class Compressor: @unchecked Sendable {
    let pointer: OpaquePointer

    init?() {
      // On JSON, level 4 is almost twice as fast as 6 and nearly as small.
      guard let pointer = libdeflate_alloc_compressor(4) else { return nil }
      self.pointer = pointer
    }

    deinit { libdeflate_free_compressor(pointer) }
  }

  /// The idle compressors; at most as many as were ever busy at one time.
  private static let pool = Locked<[Compressor]>([])

  /// Returns the gzip form of `body`, or nil when it is not smaller or there is no memory for it.
  static func compress(_ body: [UInt8]) -> Packed? {
    guard let compressor = pool.withLock({ $0.popLast() }) ?? Compressor() else { return nil }
    defer { pool.withLock { $0.append(compressor) } }
    return Packed(body, compressor).flatMap { $0.bytes.isEmpty ? nil : $0 }
  }
}
