internal import CVectors

/// Memory for the texts of numbers that are encoded together, which takes a fraction of the time of one after
/// the other where the processor has the instructions: rows of eight numbers each.
public final class NumberTexts {
  private let memory: UnsafeMutablePointer<cvectors_decimals>
  private let numbers: UnsafeMutablePointer<Double>

  /// The numbers of a row.
  public static let rowLength = 8

  /// `@unchecked Sendable`: the functions are constants without state.
  private struct Functions: @unchecked Sendable { let best = cvectors_best()?.pointee.decimals }
  private static let functions = Functions()

  /// Creates memory for some rows, one set of numbers after another.
  public init(rows: Int) {
    memory = .allocate(capacity: rows)
    memory.initialize(repeating: cvectors_decimals(), count: rows)
    numbers = .allocate(capacity: NumberTexts.rowLength)
    numbers.initialize(repeating: 0, count: NumberTexts.rowLength)
  }

  deinit {
    memory.deallocate()
    numbers.deallocate()
  }

  /// The memory as loops use it, without counting references. Valid while this object lives.
  public var pointers: Pointers {
    Pointers(
      memory: UnsafeMutableRawPointer(memory), numbers: numbers,
      isAvailable: NumberTexts.functions.best != nil)
  }

  /// Pointers to the numbers and their texts.
  public struct Pointers {
    @usableFromInline let memory: UnsafeMutableRawPointer
    /// Memory for a row of numbers to encode.
    public let numbers: UnsafeMutablePointer<Double>
    /// Whether the processor has the instructions.
    public let isAvailable: Bool

    /// Encodes rows of numbers. Returns a bit for each column that has a text in all of them: not if a number has
    /// more than eight decimals or three digits before the point, or is 0 or tiny.
    @inlinable @inline(__always)
    public func encode(_ numbers: UnsafePointer<Double>, rows: Int) -> UInt8 {
      isAvailable ? NumberTexts.encode(numbers, rows: rows, into: memory) : 0
    }

    /// The numbers of a column of rows that were encoded, and their texts.
    @inlinable @inline(__always)
    public func column(_ index: Int, of numbers: UnsafePointer<Double>) -> Texts {
      Texts(
        numbers: numbers + index, step: NumberTexts.rowLength,
        texts: memory + index &* 16, lengths: memory + (128 &+ index &* 8),
        textStep: NumberTexts.rowSize, lengthStep: NumberTexts.rowSize)
    }

    /// The numbers of ``numbers`` and their texts, after they were encoded.
    @inlinable @inline(__always)
    public var row: Texts {
      Texts(
        numbers: numbers, step: 1, texts: memory, lengths: memory + 128, textStep: 16, lengthStep: 8
      )
    }
  }

  /// Where some numbers and their texts are. Valid until others are encoded.
  public struct Texts {
    @usableFromInline let numbers: UnsafePointer<Double>
    @usableFromInline let step: Int
    @usableFromInline let texts, lengths: UnsafeMutableRawPointer
    @usableFromInline let textStep, lengthStep: Int

    @inlinable @inline(__always)
    init(
      numbers: UnsafePointer<Double>, step: Int, texts: UnsafeMutableRawPointer,
      lengths: UnsafeMutableRawPointer, textStep: Int, lengthStep: Int
    ) {
      (self.numbers, self.step) = (numbers, step)
      (self.texts, self.lengths) = (texts, lengths)
      (self.textStep, self.lengthStep) = (textStep, lengthStep)
    }

    /// A number.
    @inlinable @inline(__always)
    public func number(_ index: Int) -> Double { numbers[index &* step] }

    /// A text, as a word of 16 bytes.
    @inlinable @inline(__always)
    func text(_ index: Int) -> SIMD2<UInt64> {
      texts.loadUnaligned(fromByteOffset: index &* textStep, as: SIMD2<UInt64>.self)
    }

    @inlinable @inline(__always)
    func length(_ index: Int) -> Int {
      lengths.load(fromByteOffset: index &* lengthStep, as: Int.self)
    }
  }

  /// The distance between rows in the memory of the texts: 128 bytes of texts, 64 of lengths, and flags.
  @usableFromInline static let rowSize = MemoryLayout<cvectors_decimals>.stride

  @usableFromInline
  static func encode(
    _ numbers: UnsafePointer<Double>, rows: Int, into memory: UnsafeMutableRawPointer
  ) -> UInt8 {
    guard let decimals = functions.best else { return 0 }
    let memory = memory.assumingMemoryBound(to: cvectors_decimals.self)
    var plain = UInt8.max
    for row in 0..<rows {
      decimals(numbers + row &* rowLength, memory + row)
      plain &= memory[row].is_plain
    }
    return plain
  }
}

extension JSONRoom {
  /// Writes one of the numbers that were encoded together.
  @inlinable @inline(__always) @discardableResult
  public mutating func number(_ index: Int, of texts: NumberTexts.Texts) -> Piece {
    assertRoom(for: JSONRoom.numberLength)
    // The bytes behind the text are overwritten by what follows.
    UnsafeMutableRawPointer(end).storeBytes(of: texts.text(index), as: SIMD2<UInt64>.self)
    let piece = Piece(start: end, count: texts.length(index))
    end += piece.count
    return piece
  }
}
