import CDeflate
import Threading

/// A libdeflate compressor.
///
/// `@unchecked Sendable`: it has working memory and serves one caller at a time, which the pool sees
/// to by handing each out to one.
private final class Compressor: @unchecked Sendable {
  private let pointer: OpaquePointer

  init?() {
    // Level 4: on JSON nearly as small as 6 at almost twice its speed.
    guard let pointer = libdeflate_alloc_compressor(4) else { return nil }
    self.pointer = pointer
  }

  deinit { libdeflate_free_compressor(pointer) }

  /// The gzip form of `body`, or nil when that is not smaller.
  func gzip(_ body: [UInt8]) -> [UInt8]? {
    let packed = [UInt8](unsafeUninitializedCapacity: body.count) { target, count in
      count = body.withUnsafeBytes {
        libdeflate_gzip_compress(
          pointer, $0.baseAddress, $0.count, target.baseAddress, target.count)
      }
    }
    return packed.isEmpty ? nil : packed
  }
}

/// The compressors that nobody uses now; there are never more than were needed at one time.
enum Gzip {
  private static let pool = Locked<[Compressor]>([])

  /// The gzip form of `body`, or nil when that is not smaller.
  static func compress(_ body: [UInt8]) -> [UInt8]? {
    guard let compressor = pool.withLock({ $0.popLast() }) ?? Compressor() else { return nil }
    defer { pool.withLock { $0.append(compressor) } }
    return compressor.gzip(body)
  }
}
