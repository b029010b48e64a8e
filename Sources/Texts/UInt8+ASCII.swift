extension UInt8 {
  /// The byte, or the small letter that it stands for if it is a capital one of ASCII.
  @inlinable
  public var lowercasedASCII: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

  /// Whether it is a space or a tab.
  @inlinable
  public var isBlank: Bool { self == 0x20 || self == 0x09 }

  /// Whether it is a decimal digit of ASCII.
  @inlinable
  public var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  /// The number that a hexadecimal digit of ASCII stands for, in either case; nil for another byte.
  @inlinable
  public var hexadecimalValue: UInt8? {
    if isDigit { return self - 0x30 }
    let letter = self | 0x20
    return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : nil
  }
}
