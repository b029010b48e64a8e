import CDeflate
import Glibc

extension RequestBody {
  /// Why a body isn't decoded.
  public enum GzipFailure: Error, Equatable, Sendable {
    /// It doesn't begin as gzip does.
    case notGzip
    /// Something that isn't gzip follows the gzip data, which ends at this number of bytes.
    case trailing(after: Int)
    /// It ends too early, or isn't what its checksum and size say.
    case damaged
    /// It holds more bytes than it may.
    case tooLarge
    /// There is no memory for it.
    case outOfMemory
  }

  /// The number of bytes that the last part of a gzip body says it holds; 0 if the body is too short to be
  /// gzip. A body in one part that says something else is damaged, cut off or followed by something.
  public var gzipSize: Int {
    // RFC 1952: ten bytes of head, two of data at least, a checksum, and the size modulo 2^32.
    guard count >= 18 else { return 0 }
    return withUnsafeBytes {
      Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)))
    }
  }

  /// The body that this holds in gzip, in one or several parts. Linear in both.
  ///
  /// - Parameters:
  ///   - limit: the most bytes that it may hold; no memory beyond that is taken.
  ///   - onFree: is called when the memory of the returned body is free, and not if this throws.
  /// - Throws: ``GzipFailure`` if it isn't gzip, is damaged, or holds more than the limit.
  public func gunzipped(
    limit: Int, onFree: (@Sendable () -> Void)? = nil
  ) throws(GzipFailure) -> RequestBody {
    guard let decompressor = libdeflate_alloc_decompressor(),
      // Pages that nothing is written to take no memory.
      let memory = malloc(limit + RequestBody.padding)
    else { throw .outOfMemory }
    defer { libdeflate_free_decompressor(decompressor) }
    var (read, written) = (0, 0)
    let failure: GzipFailure? = withUnsafeBytes { source in
      guard let start = source.baseAddress else { return .notGzip }
      repeat {
        var (taken, made) = (0, 0)
        switch libdeflate_gzip_decompress_ex(
          decompressor, start + read, source.count - read, memory + written, limit - written,
          &taken, &made)
        {
        case LIBDEFLATE_SUCCESS:
          read += taken
          written += made
        case LIBDEFLATE_INSUFFICIENT_SPACE: return .tooLarge
        default:
          if source[read...].starts(with: [0x1F, 0x8B]) { return .damaged }
          return read == 0 ? .notGzip : .trailing(after: read)
        }
      } while read < source.count
      return nil
    }
    if let failure {
      free(memory)
      throw failure
    }
    memset(memory + written, 0, RequestBody.padding)
    // An allocator that can't shrink a block keeps it.
    let kept = realloc(memory, written + RequestBody.padding) ?? memory
    return RequestBody(owning: kept, count: written, onFree: onFree)
  }
}
