import Glibc

/// Header fields in the order in which they arrived; names are compared without regard to case.
///
/// One block of memory holds them all. A lookup is a scan of it, which for a request's dozen fields
/// is quicker than to build a table.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  /// `name NUL value NUL`, again and again.
  private let storage: [UInt8]

  /// Makes headers from name-value pairs.
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

  /// Makes headers from a literal such as `["Accept": "application/json"]`.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { (name: $0.0, value: $0.1) })
  }

  /// Makes headers of a block that `fill` writes: `name NUL value NUL` pairs.
  init(size: Int, fill: (UnsafeMutablePointer<CChar>) -> Void) {
    storage = .ofSize(size) { $0.withMemoryRebound(to: CChar.self, capacity: size, fill) }
  }

  /// The value of a field, or nil when it is absent; repeated fields are joined with ", ".
  ///
  /// Bytes that are not UTF-8 are replaced by U+FFFD.
  public subscript(name: String) -> String? {
    var found: String?
    name.withBytes { name in
      scan { field, value in
        guard Self.isSame(field, name) else { return }
        let text = String(decoding: value, as: UTF8.self)
        found = found.map { "\($0), \(text)" } ?? text
      }
    }
    return found
  }

  /// All fields, as names and values.
  public var fields: [(name: String, value: String)] {
    var all: [(name: String, value: String)] = []
    scan { all.append((String(decoding: $0, as: UTF8.self), String(decoding: $1, as: UTF8.self))) }
    return all
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

  /// Where the text that begins at a place ends.
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
    for place in 0..<field.count where lowercased(field[place]) != lowercased(name[place]) {
      return false
    }
    return true
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }
}

extension [UInt8] {
  /// An array of `size` bytes that `fill` writes.
  static func ofSize(_ size: Int, fill: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
    ofAtMost(size) {
      fill($0)
      return size
    }
  }

  /// An array of bytes that `fill` writes where there is room for `size`; it says how many they are.
  @inline(__always)
  static func ofAtMost(_ size: Int, fill: (UnsafeMutablePointer<UInt8>) -> Int) -> [UInt8] {
    // Not for none: the initializer would write a count into the storage that all empty arrays of
    // all threads share.
    guard size > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      guard let base = buffer.baseAddress else { return }
      count = fill(base)
    }
  }
}
