/// Room for some bytes at the end of a ``JSONWriter``, made once for many pieces of JSON text.
///
/// Unsafe by nature: nothing looks whether there is still room. Who asks for it (``JSONWriter/withRoom``)
/// adds up the most that its pieces can take: the length of what is copied, and of every number
/// ``numberLength``. That is all it takes to write an annotation with one look at the writer's memory
/// instead of one for each of some fifty pieces, which were most of its cost.
public struct JSONRoom {
  @usableFromInline var end: UnsafeMutablePointer<UInt8>

  @usableFromInline init(end: UnsafeMutablePointer<UInt8>) { self.end = end }

  /// The most bytes of a number or integer, and of what is written over behind it.
  public static let numberLength = 72

  /// A piece that was written, to be written again.
  public struct Piece {
    @usableFromInline let start: UnsafeMutablePointer<UInt8>
    @usableFromInline let count: Int

    @inlinable @inline(__always)
    init(start: UnsafeMutablePointer<UInt8>, count: Int) {
      (self.start, self.count) = (start, count)
    }
  }

  /// Text as it is.
  @inlinable @inline(__always)
  public mutating func text(_ text: StaticString) {
    end.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    end += text.utf8CodeUnitCount
  }

  /// Bytes as they are.
  @inlinable @inline(__always)
  public mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
    UnsafeMutableRawBufferPointer(start: end, count: bytes.count).copyMemory(from: bytes)
    end += bytes.count
  }

  /// A piece once more.
  @inlinable @inline(__always)
  public mutating func again(_ piece: Piece) {
    end.update(from: piece.start, count: piece.count)
    end += piece.count
  }

  /// An integer.
  @inlinable @inline(__always)
  public mutating func integer(_ value: Int) { end += JSONWriter.print(value, at: end) }

  /// A number: the shortest text that reads back bit for bit; null if it isn't finite.
  @inlinable @inline(__always) @discardableResult
  public mutating func number(_ value: Double) -> Piece {
    let piece = Piece(start: end, count: JSONWriter.print(value, at: end))
    end += piece.count
    return piece
  }
}

extension JSONWriter {
  /// Writes pieces, at most `length` bytes in all.
  @inlinable @inline(__always)
  public mutating func withRoom(_ length: Int, _ body: (inout JSONRoom) -> Void) {
    write(atMost: length) { start in
      var room = JSONRoom(end: start)
      body(&room)
      return room.end - start
    }
  }

  /// As ``withRoom(_:_:)``, with the comma that is due before another element or name.
  @inlinable @inline(__always)
  public mutating func withRoomForElement(_ length: Int, _ body: (inout JSONRoom) -> Void) {
    let comma = commaIsDue
    withRoom(length + 1) { room in
      if comma { room.text(",") }
      body(&room)
    }
  }
}
