import CEvHTTP
import Glibc
import Threading

/// The bytes of a request's body, contiguous and followed by zero bytes for parsers that read past the
/// end.
///
/// `@unchecked Sendable`: the memory is written only before the initializer returns, and freed by
/// `deinit` alone.
public final class RequestBody: @unchecked Sendable {
  /// The number of zero bytes that follow the last byte.
  public static let padding = Int(CEH_BODY_PADDING)

  /// An empty body.
  public static let empty = RequestBody([])

  /// The number of bytes, without the padding.
  public let count: Int
  private let base: UnsafeMutableRawPointer
  /// Is called when the memory is free.
  private let onFree: (@Sendable () -> Void)?

  /// Copies `bytes`. For requests that do not come from a client: without memory the process ends.
  public init(_ bytes: [UInt8]) {
    count = bytes.count
    onFree = nil
    let size = bytes.count + Self.padding
    // calloc() so that the padding is zero; deinit frees it as it frees the shim's memory.
    guard let memory = calloc(size, 1) else { Shortage.end("out of memory", bytes: size) }
    base = memory
    bytes.withUnsafeBytes {
      base.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(base), byteCount: $0.count)
    }
  }

  /// Takes ownership of memory from malloc() that holds `count` bytes and the padding.
  init(
    owning memory: UnsafeMutableRawPointer, count: Int, onFree: (@Sendable () -> Void)? = nil
  ) {
    base = memory
    self.count = count
    self.onFree = onFree
  }

  deinit {
    free(base)
    onFree?()
  }

  /// Calls `body` with the bytes; ``padding`` readable zero bytes follow them.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(start: base, count: count)) }
  }
}
