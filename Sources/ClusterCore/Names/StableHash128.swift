/// A hash of bytes that is the same in every process and on every machine: two lanes of FNV-1a with
/// a final mix. It distinguishes long ids with a common prefix. It is not collision-resistant: an
/// adversary could at most make two of their own ids share a name.
public struct StableHash128: Hashable, Sendable {
  private let high: UInt64
  /// Half of it.
  public let low: UInt64

  /// Hashes bytes in memory.
  public init(_ bytes: UnsafeRawBufferPointer) { self.init(sequence: bytes) }

  /// Hashes bytes.
  public init(_ bytes: some Sequence<UInt8>) { self.init(sequence: bytes) }

  @inline(__always)
  private init(sequence bytes: some Sequence<UInt8>) {
    var a: UInt64 = 0xcbf2_9ce4_8422_2325
    var b: UInt64 = 0x9e37_79b9_7f4a_7c15
    for byte in bytes {
      a = (a ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
      b = (b &+ UInt64(byte) &+ 1) &* 0xff51_afd7_ed55_8ccd
      b ^= b >> 29
    }
    (high, low) = (StableHash128.mix(a ^ b), StableHash128.mix(b &+ a &* 3))
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var v = value
    v = (v ^ v >> 30) &* 0xbf58_476d_1ce4_e5b9
    v = (v ^ v >> 27) &* 0x94d0_49bb_1331_11eb
    return v ^ v >> 31
  }

  /// The hash as 32 hexadecimal digits.
  public var text: String {
    func digits(_ value: UInt64) -> String {
      let text = String(value, radix: 16)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
    return digits(high) + digits(low)
  }

  init?(text: Substring) {
    guard text.utf8.count == 32, let high = UInt64(Substring(text.utf8.prefix(16)), radix: 16),
      let low = UInt64(Substring(text.utf8.suffix(16)), radix: 16)
    else { return nil }
    (self.high, self.low) = (high, low)
  }
}
