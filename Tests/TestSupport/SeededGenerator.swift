/// A small reproducible generator (SplitMix64): the same seed gives the same numbers everywhere.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts the sequence of this seed.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits. Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number in the range, both ends included.
  public mutating func double(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }

  /// An integer in the range, both ends included.
  public mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True with this probability.
  public mutating func chance(_ probability: Double) -> Bool { double(0...1) < probability }

  /// One of the choices, of which there must be at least one.
  public mutating func pick<C: RandomAccessCollection>(_ choices: C) -> C.Element {
    choices[choices.index(choices.startIndex, offsetBy: int(0...(choices.count - 1)))]
  }

  /// A number about 0 with standard deviation 1, nearly normal: the sum of twelve uniform ones.
  public mutating func bell() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += double(0...1) }
    return sum
  }
}
