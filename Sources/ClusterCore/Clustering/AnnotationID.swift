/// The name of an annotation's place: the same place of the same grid always has the same.
///
/// In text, URL-safe and opaque to clients, one of
/// ```
/// g17_60_8_5              the cell in column 8, row 5 of the grid of 17 cells of size 60
/// g17_60_8_5_4211.2763    the location in column 4211, row 2763 of level 23, within that cell
/// n42                     the feature with the integer id 42
/// tYmVybGlu               the feature with the text id whose UTF-8 is this in base64url
/// x….…                    the feature with a long text id: its beginning and its hash
/// ```
public enum AnnotationID: Hashable, Sendable {
  /// A cell, or a location in it. The cell size (points) names the grid beside its cells, because
  /// drill-down goes on with it.
  case cell(CellGrid, cellSize: Double, CellPosition, Location?)
  /// A feature by its id.
  case feature(FeatureID)
  /// A feature by the first bytes of its text id and the hash of all of it.
  case longText(prefix: [UInt8], hash: StableHash128)

  /// The longest text.
  public static let maximumLength = 200
  /// Text ids up to here are encoded whole: 1 + ⌈149·4/3⌉ = 200.
  private static let maximumWholeText = 149
  private static let prefixLength = 100

  /// The name of a feature.
  public init(feature: FeatureID) {
    if case .text(let bytes) = feature.key, bytes.count > AnnotationID.maximumWholeText {
      self = .longText(
        prefix: Array(bytes.prefix(AnnotationID.prefixLength)), hash: StableHash128(bytes))
    } else {
      self = .feature(feature)
    }
  }

  /// The text that names the place.
  public var text: String {
    switch self {
    case .cell(let grid, let size, let cell, let location):
      let sizeText = size == size.rounded() ? String(Int(size)) : String(size)
      let base = "g\(grid.cellsPerWorld)_\(sizeText)_\(cell.column)_\(cell.row)"
      return location.map { "\(base)_\($0.column).\($0.row)" } ?? base
    case .feature(let id):
      switch id.key {
      case .integer(let value): return "n\(value)"
      case .text(let bytes): return "t" + Base64URL.encode(bytes)
      }
    case .longText(let prefix, let hash):
      return "x" + Base64URL.encode(prefix) + "." + hash.text
    }
  }

  /// Reads a name; nil unless it is exactly the text of a possible place.
  public init?(text: String) {
    guard text.utf8.count <= AnnotationID.maximumLength,
      let parsed = AnnotationID.parse(text), parsed.text == text
    else { return nil }
    self = parsed
  }

  private static func parse(_ text: String) -> AnnotationID? {
    let rest = text.dropFirst()
    switch text.first {
    case "g": return parseCell(rest)
    case "n":
      guard let value = Int64(rest), let id = try? FeatureID(integer: value) else { return nil }
      return .feature(id)
    case "t":
      guard let bytes = Base64URL.decode(rest), isUTF8(bytes),
        let id = try? FeatureID(text: bytes), case .text = id.key
      else { return nil }
      return AnnotationID(feature: id)
    case "x":
      let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let prefix = Base64URL.decode(parts[0]),
        prefix.count == prefixLength, let hash = StableHash128(text: parts[1])
      else { return nil }
      return .longText(prefix: prefix, hash: hash)
    default: return nil
    }
  }

  private static func isUTF8(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }

  private static func parseCell(_ text: Substring) -> AnnotationID? {
    let parts = text.split(separator: "_", omittingEmptySubsequences: false)
    guard (4...5).contains(parts.count), let cells = Int(parts[0]),
      let size = Double(parts[1]), (1...2048).contains(size),
      let column = Int(parts[2]), let row = Int(parts[3]),
      // No scale of this cell size has more cells than this.
      cells >= 1, Double(cells) <= 256 * 0x1p30 / size + 1, (0..<cells).contains(column),
      (0..<cells).contains(row)
    else { return nil }
    var location: Location?
    if parts.count == 5 {
      let ordinates = parts[4].split(separator: ".", omittingEmptySubsequences: false)
      guard ordinates.count == 2, let x = UInt32(ordinates[0]), let y = UInt32(ordinates[1]),
        x < Location.perWorld, y < Location.perWorld
      else { return nil }
      location = Location(column: x, row: y)
    }
    return .cell(
      CellGrid(cellsPerWorld: cells), cellSize: size, CellPosition(column: column, row: row),
      location)
  }
}

/// A hash of bytes that is the same in every process and on every machine: two lanes of FNV-1a with
/// a final mix. It tells long ids apart that begin alike; it is no defence against an adversary,
/// who could at most make two of his own ids share a name.
public struct StableHash128: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// Hashes bytes.
  public init(_ bytes: some Sequence<UInt8>) {
    var a: UInt64 = 0xcbf2_9ce4_8422_2325
    var b: UInt64 = 0x9e37_79b9_7f4a_7c15
    for byte in bytes {
      a = (a ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
      b = (b &+ UInt64(byte) &+ 1) &* 0xff51_afd7_ed55_8ccd
      b ^= b >> 29
    }
    (high, low) = (StableHash128.mix(a ^ b), StableHash128.mix(b &+ a &* 3))
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var v = value
    v = (v ^ v >> 30) &* 0xbf58_476d_1ce4_e5b9
    v = (v ^ v >> 27) &* 0x94d0_49bb_1331_11eb
    return v ^ v >> 31
  }

  /// 32 hexadecimal digits.
  public var text: String {
    func digits(_ value: UInt64) -> String {
      let text = String(value, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return digits(high) + digits(low)
  }

  init?(text: Substring) {
    guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
      let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    (self.high, self.low) = (high, low)
  }
}
