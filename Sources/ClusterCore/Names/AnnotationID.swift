internal import Texts

/// The id of an annotation, which depends only on its key and its grid: a cell, location or feature
/// has the same id in every answer.
///
/// The text is URL-safe and opaque to clients. Its forms are
/// ```
/// g17_60_8_5              the cell in column 8, row 5 of the grid of 17 cells of size 60
/// g17_60_8_5_4211.2763    the location in column 4211, row 2763 of level 23, within that cell
/// g17_60_8_5~pa2luZA.kYmFy  the group "bar" of the property "kind" there; see ``GroupName``
/// n42                     the feature with the integer id 42
/// tYmVybGlu               the feature with the text id whose UTF-8 is this in base64url
/// x….…                    the feature with a long text id: its beginning and its hash
/// ```
public enum AnnotationID: Hashable, Sendable {
  /// A cell, or a location in a cell.
  case cell(CellName)
  /// A feature, given by its id.
  case feature(FeatureID)
  /// A feature, given by the first bytes of its text id and the hash of the whole id.
  case longText(prefix: [UInt8], hash: StableHash128)

  /// The maximum length of ``text`` in UTF-8 bytes.
  public static let maximumLength = 200
  /// The length up to which text ids are encoded completely: 1 + ⌈149·4/3⌉ = 200.
  private static let maximumWholeText = 149
  private static let prefixLength = 100

  /// Creates the id of a feature's annotation.
  public init(feature: FeatureID) {
    if case .text(let bytes) = feature.key, bytes.count > AnnotationID.maximumWholeText {
      self = .longText(
        prefix: Array(bytes.prefix(AnnotationID.prefixLength)), hash: StableHash128(bytes))
    } else {
      self = .feature(feature)
    }
  }

  /// The text of the id in URLs and answers.
  public var text: String {
    switch self {
    case .cell(let name): return name.text
    case .feature(let id):
      switch id.key {
      case .integer(let value): return "n\(value)"
      case .text(let bytes): return "t" + Base64URL.encode(bytes)
      }
    case .longText(let prefix, let hash):
      return "x" + Base64URL.encode(prefix) + "." + hash.text
    }
  }

  /// Parses an id; nil unless the text is exactly that of a valid id.
  public init?(text: String) {
    guard text.utf8.count <= AnnotationID.maximumLength,
      let parsed = AnnotationID.parse(text), parsed.text.isSame(as: text)
    else { return nil }
    self = parsed
  }

  private static func parse(_ text: String) -> AnnotationID? {
    let rest = Substring(text.utf8.dropFirst())
    switch text.utf8.first {
    case UInt8(ascii: "g"): return CellName(text: rest).map(AnnotationID.cell)
    case UInt8(ascii: "n"):
      guard let value = Int64(rest), let id = try? FeatureID(integer: value) else { return nil }
      return .feature(id)
    case UInt8(ascii: "t"):
      guard let bytes = Base64URL.decode(rest.utf8),
        String(validating: bytes, as: UTF8.self) != nil,
        let id = try? FeatureID(text: bytes), case .text = id.key
      else { return nil }
      return AnnotationID(feature: id)
    case UInt8(ascii: "x"):
      let parts = rest.parts(separatedBy: UInt8(ascii: "."))
      guard parts.count == 2, let prefix = Base64URL.decode(parts[0].utf8),
        prefix.count == prefixLength, let hash = StableHash128(text: parts[1])
      else { return nil }
      return .longText(prefix: prefix, hash: hash)
    default: return nil
    }
  }
}
