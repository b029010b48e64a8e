internal import CVectors

/// Memory for the texts of numbers that are encoded together, which takes a fraction of the time of one after
/// the other where the processor has the instructions.
public final class NumberTexts {
  private let memory: UnsafeMutablePointer<cvectors_decimals>

  /// `@unchecked Sendable`: the functions are constants without state.
  private struct Functions: @unchecked Sendable { let best = cvectors_best()?.pointee.decimals }
  private static let functions = Functions()

  /// Creates memory for numbers, one set after another.
  public init() {
    memory = .allocate(capacity: 1)
    memory.initialize(to: cvectors_decimals())
  }

  deinit { memory.deallocate() }

  /// The memory as loops use it, without counting references. Valid while this object lives.
  public var pointers: Pointers {
    Pointers(
      memory: UnsafeMutableRawPointer(memory),
      isAvailable: NumberTexts.functions.best != nil)
  }

  /// Pointers to the texts of up to eight numbers.
  public struct Pointers {
    @usableFromInline let memory: UnsafeMutableRawPointer
    @usableFromInline let isAvailable: Bool

    /// Encodes numbers. Returns false if some of the first `count` have no text here: they have more than eight
    /// decimals or three digits before the point, are 0 or tiny, or the processor lacks the instructions.
    @inlinable @inline(__always)
    public func encode(_ numbers: SIMD8<Double>, count: Int) -> Bool {
      guard isAvailable else { return false }
      let wanted: UInt8 = (1 << UInt8(count)) &- 1
      return withUnsafeBytes(of: numbers) { NumberTexts.encode($0, into: memory) } & wanted
        == wanted
    }

    /// The texts, each a word of 16 bytes.
    @inlinable @inline(__always)
    func text(_ index: Int) -> SIMD2<UInt64> {
      memory.load(fromByteOffset: index &* 16, as: SIMD2<UInt64>.self)
    }

    @inlinable @inline(__always)
    func length(_ index: Int) -> Int {
      memory.load(fromByteOffset: 128 &+ index &* 8, as: Int.self)
    }
  }

  /// Encodes eight numbers; returns a bit for each that has a text.
  @usableFromInline
  static func encode(_ numbers: UnsafeRawBufferPointer, into memory: UnsafeMutableRawPointer)
    -> UInt8
  {
    guard let numbers = numbers.baseAddress, let decimals = functions.best else { return 0 }
    let memory = memory.assumingMemoryBound(to: cvectors_decimals.self)
    decimals(numbers.assumingMemoryBound(to: Double.self), memory)
    return memory.pointee.is_plain
  }
}

extension JSONRoom {
  /// Writes one of the numbers that were encoded together.
  @inlinable @inline(__always) @discardableResult
  public mutating func number(_ index: Int, of texts: NumberTexts.Pointers) -> Piece {
    assertRoom(for: JSONRoom.numberLength)
    // The bytes behind the text are overwritten by what follows.
    UnsafeMutableRawPointer(end).storeBytes(of: texts.text(index), as: SIMD2<UInt64>.self)
    let piece = Piece(start: end, count: texts.length(index))
    end += piece.count
    return piece
  }
}
