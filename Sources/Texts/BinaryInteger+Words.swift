extension BinaryInteger {
  /// The number with a comma between its thousands, as people read it: 34,006.
  public var grouped: String {
    (self < 0 ? "-" : "") + String(decoding: "\(magnitude)".utf8.inThousands, as: UTF8.self)
  }

  /// A number of things in words, such as `1 feature` and `2 features`.
  ///
  /// - Parameter noun: one of them, whose plural ends in s.
  public func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension Collection<UInt8> {
  /// Digits with a comma between their thousands.
  ///
  /// - Complexity: O(n).
  public var inThousands: [UInt8] {
    var (text, left): ([UInt8], Int) = ([], count)
    text.reserveCapacity(left + left / 3)
    for digit in self {
      text.append(digit)
      left -= 1
      if left > 0, left.isMultiple(of: 3) { text.append(UInt8(ascii: ",")) }
    }
    return text
  }
}
