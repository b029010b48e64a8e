import ClusterCore

/// The hash that PostgreSQL's `hashtextextended` has for bytes, and `hashfloat8extended` for a number, so that a server
/// and this program can sum up the same rows. It is Bob Jenkins' lookup3 with PostgreSQL's way to use a seed. As tables are
/// partitioned by it, it stays as it is from version to version. Servers of another byte order have another.
struct PostgresHash {
  private var a, b, c: UInt32

  /// The hash of bytes.
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    var state = PostgresHash(count: bytes.count, seed: seed)
    var offset = 0
    while bytes.count &- offset >= 12 {
      state.a &+= word(bytes, offset)
      state.b &+= word(bytes, offset &+ 4)
      state.c &+= word(bytes, offset &+ 8)
      state.mix()
      offset &+= 12
    }
    for (place, byte) in bytes[offset...].enumerated() {
      let byte = UInt32(byte)
      switch place {
      case 0..<4: state.a &+= byte << UInt32(8 * place)
      case 4..<8: state.b &+= byte << UInt32(8 * place - 32)
      // The lowest byte of this one is that of the length.
      default: state.c &+= byte << UInt32(8 * place - 56)
      }
    }
    return state.end()
  }

  /// The hash of a number, which doesn't tell 0 from -0.
  static func hash(_ number: Double, seed: UInt64) -> UInt64 {
    number == 0
      ? seed : withUnsafeBytes(of: number.bitPattern.littleEndian) { hash($0, seed: seed) }
  }

  private init(count: Int, seed: UInt64) {
    a = 0x9E37_79B9 &+ UInt32(truncatingIfNeeded: count) &+ 3_923_095
    (b, c) = (a, a)
    guard seed != 0 else { return }
    a &+= UInt32(seed >> 32)
    b &+= UInt32(truncatingIfNeeded: seed)
    mix()
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    word << bits | word >> (32 - bits)
  }

  @inline(__always)
  private mutating func mix() {
    PostgresHash.step(&a, &c, &b, 4)
    PostgresHash.step(&b, &a, &c, 6)
    PostgresHash.step(&c, &b, &a, 8)
    PostgresHash.step(&a, &c, &b, 16)
    PostgresHash.step(&b, &a, &c, 19)
    PostgresHash.step(&c, &b, &a, 4)
  }

  @inline(__always)
  private static func step(_ x: inout UInt32, _ y: inout UInt32, _ z: inout UInt32, _ bits: UInt32)
  {
    x &-= y
    x ^= PostgresHash.rotated(y, bits)
    y &+= z
  }

  @inline(__always)
  private mutating func end() -> UInt64 {
    PostgresHash.fold(&c, b, 14)
    PostgresHash.fold(&a, c, 11)
    PostgresHash.fold(&b, a, 25)
    PostgresHash.fold(&c, b, 16)
    PostgresHash.fold(&a, c, 4)
    PostgresHash.fold(&b, a, 14)
    PostgresHash.fold(&c, b, 24)
    return UInt64(b) << 32 | UInt64(c)
  }

  @inline(__always)
  private static func fold(_ x: inout UInt32, _ y: UInt32, _ bits: UInt32) {
    x ^= y
    x &-= PostgresHash.rotated(y, bits)
  }
}
