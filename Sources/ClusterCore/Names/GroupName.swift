/// The part of an annotation's id that names its group: the property that groups, and the group's
/// key.
///
/// In text the property, a dot and the key: `p` and `k` precede base64url, `h` the hash of what is too
/// long, and `n` is the group of features without a value.
public struct GroupName: Hashable, Sendable {
  /// Bytes, or the hash of longer ones.
  enum Part: Hashable, Sendable {
    case whole([UInt8])
    case hash(StableHash128)

    init(_ bytes: [UInt8]) {
      self = bytes.count <= GroupName.maximumWhole ? .whole(bytes) : .hash(StableHash128(bytes))
    }

    /// Whether it stands for these bytes.
    func matches(_ bytes: [UInt8]) -> Bool { self == Part(bytes) }
  }

  /// The longest property or key that is written out: with 60 characters each, and the longest name
  /// of a location, an id has 198.
  public static let maximumWhole = 45

  let property: Part
  /// Nil for the features without a value.
  let key: Part?
  /// Written once: each of a group's annotations has it in its id.
  let text: String

  /// The name of a group.
  ///
  /// - Parameters:
  ///   - property: its name in UTF-8.
  ///   - key: in UTF-8; nil for the group of features without a value.
  public init(property: [UInt8], key: [UInt8]?) {
    self.init(Part(property), key.map(Part.init))
  }

  private init(_ property: Part, _ key: Part?) {
    (self.property, self.key) = (property, key)
    let ending = key.map { GroupName.text($0, "k") } ?? "n"
    text = "\(GroupName.text(property, "p")).\(ending)"
  }

  /// The property in UTF-8, unless it is too long to be written out.
  public var wholeProperty: [UInt8]? {
    if case .whole(let bytes) = property { bytes } else { nil }
  }

  /// Whether the property is this one.
  public func isOf(property: [UInt8]) -> Bool { self.property.matches(property) }

  /// Whether it is the group of a key; nil is that of the features without a value.
  public func isOf(key: [UInt8]?) -> Bool {
    guard let own = self.key, let key else { return self.key == nil && key == nil }
    return own.matches(key)
  }

  private static func text(_ part: Part, _ letter: Character) -> String {
    switch part {
    case .whole(let bytes): "\(letter)\(Base64URL.encode(bytes))"
    case .hash(let hash): "h\(hash.text)"
    }
  }

  /// Reads what ``text`` has written; nil for anything else.
  init?(text: Substring) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let property = GroupName.part(parts[0], "p") else { return nil }
    if parts[1] == "n" {
      self.init(property, nil)
    } else {
      guard let key = GroupName.part(parts[1], "k") else { return nil }
      self.init(property, key)
    }
  }

  private static func part(_ text: Substring, _ letter: Character) -> Part? {
    switch text.first {
    case letter: Base64URL.decode(text.dropFirst()).map(Part.init)
    case "h": StableHash128(text: text.dropFirst()).map(Part.hash)
    default: nil
    }
  }
}
