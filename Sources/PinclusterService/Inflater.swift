import CZlib

/// Inflates a stream of gzip (RFC 1952), of one member or several that follow each other, or of bare deflate (RFC 1951).
final class Inflater {
  /// Why a stream can't be inflated.
  struct Failure: Error {
    let reason: String
  }

  /// The first bytes of each stream: the mark of gzip, and its only method.
  static let mark: [UInt8] = [0x1F, 0x8B, 8]

  // Owned by this object alone, and at one address, as zlib's own state points back to it.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  private var output = [UInt8](repeating: 0, count: 1 << 20)
  /// Whether a member has begun that hasn't ended.
  private var isInside = true
  /// Whether the rest is padding after the last member.
  private var isPadding = false

  init(isBare: Bool = false) throws {
    stream.initialize(to: z_stream())
    // 15 bits of window, and 16 for gzip's head and tail; below 0 for neither.
    let bits: Int32 = isBare ? -15 : 15 + 16
    let code = inflateInit2_(stream, bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { throw Failure(reason: "out of memory") }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Whether the stream may end here.
  var isComplete: Bool { !isInside }

  /// Inflates a chunk. Calls `body` with the inflated bytes, in parts, which must not escape.
  func inflate(
    _ chunk: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var rest = chunk[...]
    while !rest.isEmpty || stream.pointee.avail_out == 0 {
      if !isInside {
        guard let next = rest.first else { return }
        isPadding = isPadding || next == 0
        guard !isPadding else {
          // As tapes have it, and some programs.
          guard rest.allSatisfy({ $0 == 0 }) else {
            throw Failure(reason: "something follows its end")
          }
          return
        }
        guard inflateReset(stream) == Z_OK else { throw Failure(reason: "it is damaged") }
        isInside = true
      }
      let (read, written, code) = step(UnsafeRawBufferPointer(rebasing: rest))
      rest = rest.dropFirst(read)
      if written > 0 {
        try output.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<written])) }
      }
      switch code {
      case Z_STREAM_END: isInside = false
      case Z_OK: break
      // Needs more of the stream.
      case Z_BUF_ERROR: return
      case Z_MEM_ERROR: throw Failure(reason: "out of memory")
      default:
        throw Failure(reason: stream.pointee.msg.map { String(cString: $0) } ?? "it is damaged")
      }
    }
  }

  /// Inflates until the output is full or the input has been read.
  private func step(
    _ input: UnsafeRawBufferPointer
  ) -> (read: Int, written: Int, code: Int32) {
    output.withUnsafeMutableBytes { output in
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.pointee.avail_in = UInt32(clamping: input.count)
      stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(clamping: output.count)
      let offered = Int(stream.pointee.avail_in)
      let code = CZlib.inflate(stream, Z_NO_FLUSH)
      return (
        offered - Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out), code
      )
    }
  }
}
