internal import Texts

/// The part of an annotation's id that names its group: the grouping property and the group's key.
///
/// The text consists of the property, a dot and the key. `p` and `k` precede base64url, `h` precedes
/// the hash of a property or key that is too long, and `n` stands for the features without a value.
public struct GroupName: Hashable, Sendable {
  /// A property or key, or its hash if it is too long.
  enum Part: Hashable, Sendable {
    case whole([UInt8])
    case hash(StableHash128)

    init(_ bytes: [UInt8]) {
      self = bytes.count <= GroupName.maximumWhole ? .whole(bytes) : .hash(StableHash128(bytes))
    }
  }

  /// The maximum length of a property or key that is encoded completely. With 60 characters each, an id
  /// with the longest name of a location has 198 characters.
  public static let maximumWhole = 45

  let property: Part
  /// The key; nil for the features without a value.
  let key: Part?
  /// The text, encoded once because the id of each of the group's annotations contains it.
  let text: String

  /// Creates the name of a group.
  ///
  /// - Parameters:
  ///   - property: The name of the property in UTF-8.
  ///   - key: The key in UTF-8; nil for the group of features without a value.
  public init(property: [UInt8], key: [UInt8]?) {
    self.init(Part(property), key.map(Part.init))
  }

  private init(_ property: Part, _ key: Part?) {
    (self.property, self.key) = (property, key)
    let ending = key.map { GroupName.text($0, "k") } ?? "n"
    text = "\(GroupName.text(property, "p")).\(ending)"
  }

  /// The property in UTF-8; nil if only its hash is known.
  public var wholeProperty: [UInt8]? {
    if case .whole(let bytes) = property { bytes } else { nil }
  }

  /// Whether the group is one of a property.
  public func isOf(property: [UInt8]) -> Bool { self.property == Part(property) }

  /// Whether the name is that of a key's group; a nil key stands for the features without a value.
  public func isOf(key: [UInt8]?) -> Bool {
    self.key == key.map(Part.init)
  }

  private static func text(_ part: Part, _ letter: Unicode.Scalar) -> String {
    switch part {
    case .whole(let bytes): "\(letter)\(Base64URL.encode(bytes))"
    case .hash(let hash): "h\(hash.text)"
    }
  }

  /// Parses ``text``; nil if it is malformed.
  init?(text: Substring) {
    let parts = text.parts(separatedBy: UInt8(ascii: "."))
    guard parts.count == 2, let property = GroupName.part(parts[0], "p") else { return nil }
    if parts[1].isSame(as: "n") {
      self.init(property, nil)
    } else {
      guard let key = GroupName.part(parts[1], "k") else { return nil }
      self.init(property, key)
    }
  }

  private static func part(_ text: Substring, _ letter: Unicode.Scalar) -> Part? {
    let rest = Substring(text.utf8.dropFirst())
    return switch text.utf8.first {
    case UInt8(ascii: letter): Base64URL.decode(rest.utf8).map(Part.init)
    case UInt8(ascii: "h"): StableHash128(text: rest).map(Part.hash)
    default: nil
    }
  }
}
