/// What a property's value is grouped and counted by, section 8. Compared by its UTF-8: Swift's own
/// strings would take an é for an e with an accent after it.
public struct TwinKey: Hashable, Comparable, Sendable {
  private let bytes: [UInt8]

  /// A key of this text.
  public init(_ text: String) { bytes = Array(text.utf8) }

  /// The key of a value; nil of one that is missing or null.
  public init?(of value: TestJSON?) {
    switch value {
    case nil, .null?: return nil
    case .string(let text)?: self.init(text)
    case .number(let text)?: self.init(TwinKey.canonical(Double(text) ?? .nan))
    case .some(let other): self.init(other.text)
    }
  }

  /// Its text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// By UTF-8.
  public static func < (a: TwinKey, b: TwinKey) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }

  /// The shortest text of a number, in the form of ECMAScript and RFC 8785.
  public static func canonical(_ value: Double) -> String {
    if value == 0 { return "0" }
    // Swift finds the same shortest digits and writes them another way.
    let parts = value.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    let whole = mantissa[0] == "0" ? "" : String(mantissa[0])
    let fraction = mantissa.count > 1 && mantissa[1] != "0" ? String(mantissa[1]) : ""
    var digits = whole + fraction
    var point = whole.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.hasPrefix("0") {
      digits.removeFirst()
      point -= 1
    }
    while digits.hasSuffix("0") { digits.removeLast() }
    return (value < 0 ? "-" : "") + written(digits, point: point)
  }

  private static func written(_ digits: String, point: Int) -> String {
    let count = digits.count
    func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
    if count <= point, point <= 21 { return digits + zeros(point - count) }
    if 0 < point, point <= 21 { return digits.prefix(point) + "." + digits.dropFirst(point) }
    if -6 < point, point <= 0 { return "0." + zeros(-point) + digits }
    let exponent = (point - 1 < 0 ? "e-" : "e+") + String((point - 1).magnitude)
    return digits.prefix(1) + (count > 1 ? "." + digits.dropFirst() : "") + exponent
  }
}

/// The group of a feature: missing and null are one, which comes first.
public struct TwinGroup: Hashable, Comparable, Sendable {
  /// The property.
  public let property: String
  /// Its value; nil of missing and null.
  public let key: TwinKey?

  /// The group of a value.
  public init(_ property: String, of value: TestJSON?) {
    (self.property, self.key) = (property, TwinKey(of: value))
  }

  /// What the answer says.
  public var json: TestJSON { key.map { .string($0.text) } ?? .null }

  /// Null first, then by UTF-8.
  public static func < (a: TwinGroup, b: TwinGroup) -> Bool {
    guard let mine = a.key else { return b.key != nil }
    return b.key.map { mine < $0 } ?? false
  }
}
