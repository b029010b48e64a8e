import Texts

/// Entity tags (RFC 9110 section 8.8.3) and the conditions on them.
public enum EntityTag {
  /// The suffix of the tag of a gzip representation.
  static let gzipSuffix = "-gz"

  /// A 64-bit hash of `body` as 11 characters, the same in every process.
  ///
  /// The hash multiplies and folds as wyhash (Wang Yi, public domain) does, in four lanes so that
  /// multiplications overlap. It need not be cryptographic: a tag protects caches from stale answers,
  /// not from attackers.
  public static func hash(of body: [UInt8]) -> String {
    body.withUnsafeBytes { bytes in
      String(unsafeUninitializedCapacity: 11) { write(hash(bytes, 0), to: $0[...]) }
    }
  }

  /// A hash of everything in a request that an answer can depend on: the target, the body and the
  /// negotiated type. It is the same in every process.
  public static func hash(of request: HTTPRequest, as type: String) -> UInt64 {
    var state = hash(request.path, hash(type, 0))
    if let query = request.query { state = hash(query, state) }
    // `/a` and `/a?` mean the same but are two targets.
    if request.query == nil { state = ~state }
    return request.body.count == 0 ? state : request.body.withUnsafeBytes { hash($0, state) }
  }

  /// The tag of an answer from one version of a store's data: `store.version.hash`.
  public static func text(of store: String, version: Int64, _ hash: UInt64) -> String {
    // A version has at most 20 characters.
    String(unsafeUninitializedCapacity: store.utf8.count + 33) { buffer in
      var end = buffer.update(fromContentsOf: store.utf8)
      buffer[end] = UInt8(ascii: ".")
      end += 1
      end += write(version, to: buffer[end...])
      buffer[end] = UInt8(ascii: ".")
      end += 1
      return end + write(hash, to: buffer[end...])
    }
  }

  /// Writes a number in decimal and returns the count of its characters.
  private static func write(_ value: Int64, to buffer: Slice<UnsafeMutableBufferPointer<UInt8>>)
    -> Int
  {
    var (rest, count) = (value.magnitude, value < 0 ? 2 : 1)
    while rest >= 10 { (rest, count) = (rest / 10, count + 1) }
    rest = value.magnitude
    for index in (0..<count).reversed() {
      buffer.base[buffer.startIndex + index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    if value < 0 { buffer.base[buffer.startIndex] = UInt8(ascii: "-") }
    return count
  }

  private static func hash(_ text: String, _ seed: UInt64) -> UInt64 {
    text.withBytes { hash(UnsafeRawBufferPointer($0), seed) }
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
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

  /// Writes a hash as 11 characters and returns 11.
  private static func write(_ value: UInt64, to buffer: Slice<UnsafeMutableBufferPointer<UInt8>>)
    -> Int
  {
    let digits: StaticString = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"
    for i in 0..<11 {
      // The index is below 64, the length of the literal.
      buffer.base[buffer.startIndex + i] = digits.utf8Start[Int(value >> (UInt64(i) * 6) & 63)]
    }
    return 11
  }

  /// The representation that an If-None-Match field names.
  enum Match { case none, plain, gzip }

  /// The representation that the field If-None-Match names, by weak comparison. `*` names the one that would be sent.
  static func match(_ headers: HTTPHeaders, base: String, prefersGzip: Bool) -> Match {
    headers.withBytes(of: "If-None-Match") { field in
      if isAny(field) { return prefersGzip ? .gzip : .plain }
      var found = Match.none
      forEach(in: field) { tag in
        // If both match, the one that would be sent counts.
        switch match(tag, of: base) {
        case .gzip where found == .none || prefersGzip: found = .gzip
        case .plain where found == .none || !prefersGzip: found = .plain
        default: break
        }
      }
      return found
    } ?? .none
  }

  /// The representation that a tag names, of a resource with a base tag.
  static func match(_ tag: UnsafeBufferPointer<UInt8>, of base: String) -> Match {
    base.withBytes { base in
      guard tag.count >= base.count, tag.prefix(base.count).elementsEqual(base) else {
        return .none
      }
      let rest = tag.dropFirst(base.count)
      return rest.isEmpty ? .plain : rest.elementsEqual(gzipSuffix.utf8) ? .gzip : .none
    }
  }

  /// Whether a field is a lone `*`.
  static func isAny(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
    let first = field.firstIndex { !$0.isBlank }
    return first == field.lastIndex { !$0.isBlank }
      && first.map { field[$0] == UInt8(ascii: "*") } ?? false
  }

  /// Calls `body` with the opaque tags of a list, without `W/` and quotes, up to where the list is malformed, and at most
  /// ``HTTPHeaders/mostMembers``. Linear.
  ///
  /// - Parameter weak: whether weak tags are included.
  static func forEach(
    in field: UnsafeBufferPointer<UInt8>, weak: Bool = true,
    _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var rest = field[...]
    for _ in 0..<HTTPHeaders.mostMembers {
      rest = rest.drop { $0 == UInt8(ascii: ",") || $0.isBlank }
      let isWeak = rest.starts(with: "W/".utf8)
      if isWeak { rest = rest.dropFirst(2) }
      guard rest.popFirst() == UInt8(ascii: "\""),
        let end = rest.firstIndex(of: UInt8(ascii: "\""))
      else { return }
      let (tag, behind) = (rest[..<end], rest[end...].dropFirst().drop { $0.isBlank })
      guard behind.isEmpty || behind.first == UInt8(ascii: ",") else { return }
      if weak || !isWeak { body(UnsafeBufferPointer(rebasing: tag)) }
      rest = behind
    }
  }
}
