/// A 64-bit hash of bytes, the same in every process, which names a state of a resource.
///
/// It multiplies and folds as wyhash (Wang Yi, public domain) does, in four lanes so that multiplications overlap. It need
/// not be cryptographic: it protects caches from stale answers and writers from each other, not from attackers.
public enum ContentHash {
  /// The characters of a hash as text.
  public static let characters = 11

  /// The hash of some bytes as ``characters`` characters. Linear.
  public static func text(of bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes { bytes in
      String(unsafeUninitializedCapacity: characters) { write(hash(bytes, 0), to: $0[...]) }
    }
  }

  /// The hash of some bytes, which continues another hash. Linear.
  public static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
    // None of these may equal `secret`: a step would then give the same for its two words swapped.
    var (a, b, c, d): (UInt64, UInt64, UInt64, UInt64) = (
      0xa076_1d64_78bd_642f, 0x2d35_8dcc_aa6c_78a5, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3
    )
    var at = 0
    while at + 64 <= bytes.count {
      a = step(bytes, at, a)
      b = step(bytes, at + 16, b)
      c = step(bytes, at + 32, c)
      d = step(bytes, at + 48, d)
      at += 64
    }
    var state = fold(UInt64(bytes.count) ^ secret ^ seed, a)
    for lane in [b, c, d] { state = fold(state ^ secret, lane) }
    while at + 16 <= bytes.count {
      state = step(bytes, at, state)
      at += 16
    }
    var rest: (UInt64, UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &rest) { $0.copyBytes(from: bytes[at...]) }
    state = fold(rest.0 ^ secret, rest.1 ^ state)
    return fold(state ^ 0x5899_65cc_7537_4cc3, secret)
  }

  private static let secret: UInt64 = 0xe703_7ed1_a0b4_28db

  private static func step(_ bytes: UnsafeRawBufferPointer, _ at: Int, _ state: UInt64) -> UInt64 {
    let a = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
    let b = bytes.loadUnaligned(fromByteOffset: at + 8, as: UInt64.self)
    return fold(a ^ secret, b ^ state)
  }

  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  /// Writes a hash as ``characters`` characters, and returns their number. The memory must have room for them.
  public static func write(
    _ hash: UInt64, to buffer: Slice<UnsafeMutableBufferPointer<UInt8>>
  ) -> Int {
    let digits: StaticString = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
    for i in 0..<characters {
      // The index is below 64, the length of the literal.
      buffer.base[buffer.startIndex + i] = digits.utf8Start[Int(hash >> (UInt64(i) * 6) & 63)]
    }
    return characters
  }
}
