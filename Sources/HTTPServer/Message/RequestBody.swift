import CEvHTTP
import Glibc
import Threading

/// The bytes of a request's body, contiguous and followed by zero bytes for parsers that read past the
/// end.
///
/// `@unchecked Sendable`: the memory is written only before the initializer returns, or under the lock of ``pieces``
/// before anybody reads it, and freed by `deinit` alone.
public final class RequestBody: @unchecked Sendable {
  /// The number of zero bytes that follow the last byte.
  public static let padding = Int(CEH_BODY_PADDING)

  /// An empty body.
  public static let empty = RequestBody([])

  /// The number of bytes, without the padding.
  public let count: Int
  private let base: UnsafeMutableRawPointer
  /// The bytes of a large body that came from a client, until they are asked for first; nil for other bodies.
  private let pieces: Locked<Pieces?>?
  /// Is called when the memory is free.
  private let onFree: (@Sendable () -> Void)?

  /// Copies `bytes`. For requests that do not come from a client: without memory the process ends.
  public init(_ bytes: [UInt8]) {
    count = bytes.count
    (pieces, onFree) = (nil, nil)
    let size = bytes.count + Self.padding
    // calloc() so that the padding is zero; deinit frees it as it frees the shim's memory.
    guard let memory = calloc(size, 1) else { Shortage.end("out of memory", bytes: size) }
    base = memory
    bytes.withUnsafeBytes {
      base.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(base), byteCount: $0.count)
    }
  }

  /// Takes ownership of memory from malloc() that holds `count` bytes and the padding, or is to hold them if there are
  /// pieces.
  init(
    owning memory: UnsafeMutableRawPointer, count: Int, pieces: Pieces? = nil,
    onFree: (@Sendable () -> Void)? = nil
  ) {
    base = memory
    self.count = count
    self.pieces = pieces.map { Locked<Pieces?>($0) }
    self.onFree = onFree
  }

  deinit {
    free(base)
    onFree?()
  }

  /// Calls `body` with the bytes; ``padding`` readable zero bytes follow them. Linear in a large body the first time,
  /// as it is in pieces until then.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    if let pieces { join(pieces) }
    return try withExtendedLifetime(self) {
      try body(UnsafeRawBufferPointer(start: base, count: count))
    }
  }

  /// Moves the pieces to the memory that is theirs, once.
  private func join(_ pieces: Locked<Pieces?>) {
    pieces.withLongLock { rest in
      rest?.move(to: base)
      rest = nil
    }
  }

  /// The bytes of a body as they arrived.
  ///
  /// `@unchecked Sendable`: ``RequestBody`` uses it under a lock, and nobody else has it.
  final class Pieces: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Takes ownership of what the shim has made.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { ceh_pieces_free(pointer) }

    func move(to memory: UnsafeMutableRawPointer) { ceh_pieces_move(pointer, memory) }
  }
}
