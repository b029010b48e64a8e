/// Memory reserved at the end of a ``JSONWriter`` for several pieces of JSON text.
///
/// Unsafe: only debug builds check that there is room. The caller of ``JSONWriter/withRoom(_:_:)`` adds
/// up the most that its pieces can take: the length of copied bytes, and ``numberLength`` for each
/// number. One check then replaces one for each of the fifty or so pieces of an annotation, which used to
/// be most of the cost of encoding it.
public struct JSONRoom {
  @usableFromInline var end: UnsafeMutablePointer<UInt8>
  @usableFromInline let limit: UnsafeMutablePointer<UInt8>

  @usableFromInline init(start: UnsafeMutablePointer<UInt8>, count: Int) {
    (end, limit) = (start, start + count)
  }

  /// The most bytes that a number takes, including those that are written after it and overwritten.
  public static let numberLength = 72

  /// A piece that was written and can be written again.
  public struct Piece {
    @usableFromInline let start: UnsafeMutablePointer<UInt8>
    @usableFromInline let count: Int

    @inlinable @inline(__always)
    init(start: UnsafeMutablePointer<UInt8>, count: Int) {
      (self.start, self.count) = (start, count)
    }
  }

  @inlinable @inline(__always)
  func assertRoom(for count: Int) {
    assert(count <= limit - end, "\(count) bytes of JSON where \(limit - end) are reserved")
  }

  @inlinable @inline(__always)
  mutating func copy(_ source: UnsafePointer<UInt8>, _ count: Int) {
    assertRoom(for: count)
    end.update(from: source, count: count)
    end += count
  }

  /// Writes text verbatim.
  @inlinable @inline(__always)
  public mutating func text(_ text: StaticString) { copy(text.utf8Start, text.utf8CodeUnitCount) }

  /// Writes bytes verbatim.
  @inlinable @inline(__always)
  public mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
    assertRoom(for: bytes.count)
    UnsafeMutableRawBufferPointer(start: end, count: bytes.count).copyMemory(from: bytes)
    end += bytes.count
  }

  /// Writes bytes verbatim that ``shortLength`` readable bytes begin with or that are longer. Takes room for as
  /// many.
  @inlinable @inline(__always)
  public mutating func short(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count <= JSONRoom.shortLength, let start = bytes.baseAddress else {
      return self.bytes(bytes)
    }
    assertRoom(for: JSONRoom.shortLength)
    // A copy of fixed length is a few instructions. The next write overwrites the surplus.
    UnsafeMutableRawPointer(end).copyMemory(from: start, byteCount: JSONRoom.shortLength)
    end += bytes.count
  }

  /// The most bytes that are copied without regard to their number.
  public static let shortLength = 32

  /// Writes a number again.
  @inlinable @inline(__always)
  public mutating func again(_ piece: Piece) {
    assertRoom(for: JSONRoom.numberLength)
    short(UnsafeRawBufferPointer(start: piece.start, count: piece.count))
  }

  /// Writes an integer.
  @inlinable @inline(__always) @discardableResult
  public mutating func integer(_ value: Int) -> Piece {
    assertRoom(for: JSONRoom.numberLength)
    let piece = Piece(start: end, count: JSONWriter.encode(value, at: end))
    end += piece.count
    return piece
  }

  /// Writes a number: the shortest text that reads back bit for bit, but 0 for −0, or null if it is not finite.
  @inlinable @inline(__always) @discardableResult
  public mutating func number(_ value: Double) -> Piece {
    assertRoom(for: JSONRoom.numberLength)
    let piece = Piece(start: end, count: JSONWriter.encode(value, at: end))
    end += piece.count
    return piece
  }
}

extension JSONWriter {
  /// Calls `body` to write pieces of at most `length` bytes in all.
  @inlinable @inline(__always)
  public mutating func withRoom(_ length: Int, _ body: (inout JSONRoom) -> Void) {
    write(atMost: length) { start in
      var room = JSONRoom(start: start, count: length)
      body(&room)
      return room.end - start
    }
  }

  /// Calls `body` to write an element or name in pieces of at most `length` bytes in all, after the comma
  /// that is due before it.
  @inlinable @inline(__always)
  public mutating func withRoomForElement(_ length: Int, _ body: (inout JSONRoom) -> Void) {
    let comma = commaIsDue
    withRoom(length + 1) { room in
      if comma { room.text(",") }
      body(&room)
    }
  }
}
