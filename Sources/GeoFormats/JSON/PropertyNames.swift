import Glibc

/// Names of properties, in UTF-8, that are looked for among the members of many features.
public struct PropertyNames: Hashable, Sendable {
  /// Each once, by length and then by bytes.
  private let sorted: [[UInt8]]

  /// Creates the set of some names.
  public init(_ names: [[UInt8]]) {
    sorted = Set(names).sorted {
      $0.count == $1.count ? $0.lexicographicallyPrecedes($1) : $0.count < $1.count
    }
  }

  /// The number of different names.
  public var count: Int { sorted.count }

  /// The approximate memory that they take, in bytes.
  public var byteCount: Int { sorted.reduce(0) { $0 + 48 + $1.count } }

  /// Whether a name is one of these.
  ///
  /// - Complexity: O(log ``count``).
  public func contains(_ name: [UInt8]) -> Bool {
    name.withUnsafeBytes { place(ofUTF8: $0) != nil }
  }

  /// The place among the names of that of a member, whose text includes its quotes; nil if it isn't one of them. O(log
  /// ``count``).
  func place(of string: UnsafeRawBufferPointer) -> Int? {
    guard string.count >= 2 else { return nil }
    return JSONScanner.withUTF8(of: string) { place(ofUTF8: $0) }
  }

  private func place(ofUTF8 name: UnsafeRawBufferPointer) -> Int? {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      let order = sorted[middle].withUnsafeBytes { other -> Int in
        if other.count != name.count { return other.count - name.count }
        guard let first = other.baseAddress, let second = name.baseAddress else { return 0 }
        return Int(memcmp(first, second, name.count))
      }
      if order == 0 { return middle }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}
