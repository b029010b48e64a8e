import Glibc
import Texts

/// Header fields in the order in which they arrived. Names are compared ignoring case.
///
/// One block of memory holds all of them. A lookup scans it, which is faster than building a table
/// for the dozen fields of a request.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  /// All fields, each as `name NUL value NUL`.
  private let storage: [UInt8]

  /// Creates headers from name-value pairs.
  public init(_ fields: [(name: String, value: String)] = []) {
    var storage: [UInt8] = []
    for field in fields {
      storage.append(contentsOf: field.name.utf8)
      storage.append(0)
      storage.append(contentsOf: field.value.utf8)
      storage.append(0)
    }
    self.storage = storage
  }

  /// Creates headers from a literal such as `["Accept": "application/json"]`.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { (name: $0.0, value: $0.1) })
  }

  /// Creates headers from a block of `size` bytes that `fill` writes, each field as `name NUL value NUL`.
  init(size: Int, fill: (UnsafeMutablePointer<CChar>) -> Void) {
    var storage = [UInt8](repeating: 0, count: size)
    storage.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(fill) }
    }
    self.storage = storage
  }

  /// The value of a field, or nil when it is absent; repeated fields are joined with ", ". Linear.
  ///
  /// In a value that isn't UTF-8, bytes outside of ASCII are replaced by U+FFFD.
  public subscript(name: String) -> String? {
    withBytes(of: name) { Self.text($0) }
  }

  /// Calls `body` with the bytes of a field, those of repeated ones with ", " between them; nil when it is absent. Linear.
  func withBytes<R>(of name: String, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R? {
    name.withBytes { name in
      var (found, joined): (UnsafeBufferPointer<UInt8>?, [UInt8]?) = (nil, nil)
      return storage.withUnsafeBufferPointer { _ in
        scan { field, value in
          guard Self.isSame(field, name) else { return }
          guard let first = found else { return found = value }
          if joined == nil { joined = Array(first) }
          joined?.append(contentsOf: ", ".utf8)
          joined?.append(contentsOf: value)
        }
        if let joined { return joined.withUnsafeBufferPointer(body) }
        return found.map(body)
      }
    }
  }

  /// The most members of a list.
  public static let mostMembers = 64

  /// The fields that are lists, of those that the service reads.
  private static let lists = [
    "accept", "accept-encoding", "access-control-request-headers", "forwarded", "if-match",
    "if-none-match",
    "prefer", "x-forwarded-for", "x-forwarded-host", "x-forwarded-prefix", "x-forwarded-proto",
  ].map { Array($0.utf8) }

  /// The name of a list with more than ``mostMembers``, a comma between each two; nil if there is none. Linear.
  public var longList: String? {
    // Most heads are shorter than such a list.
    guard storage.count > 2 * Self.mostMembers else { return nil }
    var counts = InlineArray<11, Int>(repeating: 0)
    var long: String?
    scan { name, value in
      guard value.count > 0, let number = Self.numberOfList(name) else { return }
      // Without commas it is one member. Two fields are one list.
      counts[number] += 1
      for byte in value where byte == UInt8(ascii: ",") { counts[number] += 1 }
      if counts[number] > Self.mostMembers {
        long = String(decoding: Self.lists[number], as: UTF8.self)
      }
    }
    return long
  }

  /// The place in `lists` of a field.
  private static func numberOfList(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
    switch name.first.map({ $0 | 0x20 }) {
    case UInt8(ascii: "a"), UInt8(ascii: "f"), UInt8(ascii: "i"), UInt8(ascii: "p"),
      UInt8(ascii: "x"):
      lists.firstIndex { list in list.withUnsafeBufferPointer { isSame(name, $0) } }
    default: nil
    }
  }

  /// Bytes as text. If they aren't UTF-8, each byte outside of ASCII is U+FFFD: to find out which of them are takes a
  /// hundred times as long, and a field of 60 kB may be all of such bytes.
  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var repaired: [UInt8] = []
    repaired.reserveCapacity(3 * bytes.count)
    for byte in bytes {
      if byte < 0x80 {
        repaired.append(byte)
      } else {
        repaired.append(contentsOf: [0xEF, 0xBF, 0xBD])
      }
    }
    return String(decoding: repaired, as: UTF8.self)
  }

  @inline(__always)
  private func scan(_ visit: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Void) {
    storage.withUnsafeBufferPointer { bytes in
      var start = 0
      while let middle = Self.end(of: start, bytes), let end = Self.end(of: middle + 1, bytes) {
        visit(
          UnsafeBufferPointer(rebasing: bytes[start..<middle]),
          UnsafeBufferPointer(rebasing: bytes[(middle + 1)..<end]))
        start = end + 1
      }
    }
  }

  /// The index of the NUL that ends the text beginning at `start`.
  @inline(__always)
  private static func end(of start: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress,
      let end = memchr(base + start, 0, bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(end) - UnsafeRawPointer(base)
  }

  @inline(__always)
  private static func isSame(
    _ field: UnsafeBufferPointer<UInt8>, _ name: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard field.count == name.count else { return false }
    for index in 0..<field.count
    where field[index].lowercasedASCII != name[index].lowercasedASCII { return false }
    return true
  }
}
