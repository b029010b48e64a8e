internal import Texts

/// Reference systems of coordinates, by their names.
public enum ReferenceSystem: Sendable {
  /// Longitudes and latitudes of WGS 84 in degrees, with or without a height. The longitude comes first, as always in
  /// GeoJSON, whatever the system says.
  case degrees
  /// Degrees that are those of WGS 84 within a metre or two, by their name for people.
  case near(String)
  /// Anything else.
  case other

  /// The URI of WGS 84 with the longitude first, as the OGC names it.
  public static let crs84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"

  /// Systems by their codes, and by other names without what isn't a letter or digit.
  private static let known: [(codes: [String], names: [String], system: ReferenceSystem)] = [
    (
      ["4326", "4979"],
      [
        "crs84", "crs84h", "wgs84", "wgs1984", "gcswgs1984", "wgs84longlat",
        "projlonglatdatumwgs84nodefs",
      ], .degrees
    ),
    (["4258"], ["etrs89"], .near("ETRS89 (EPSG:4258)")),
    (["4269"], ["nad83"], .near("NAD83 (EPSG:4269)")),
  ]
  /// No name that is known is longer.
  private static let longestName = 300

  /// Finds a system by a name such as `urn:ogc:def:crs:OGC:1.3:CRS84`, `EPSG:4326` or
  /// `http://www.opengis.net/def/crs/EPSG/0/4258`.
  public init(named name: some StringProtocol) {
    guard name.utf8.count <= ReferenceSystem.longestName else {
      self = .other
      return
    }
    // The first part of a compound system is the horizontal one.
    let parts = Array(name.utf8).split(separator: UInt8(ascii: ",")).map { part in
      part.split { !ReferenceSystem.isLetterOrDigit($0) }.map {
        String(decoding: $0, as: UTF8.self).lowercasedASCII
      }
    }
    let words = parts.first { $0.contains(where: ReferenceSystem.isCode) } ?? parts.first ?? []
    let code = words.last(where: ReferenceSystem.isCode)
    let all = words.joined()
    func isOne(of codes: [String], _ names: [String]) -> Bool {
      if names.contains(where: { all.isSame(as: $0) }) { return true }
      if let code { return codes.contains { code.isSame(as: $0) } }
      return names.contains { (words.last ?? "").isSame(as: $0) }
    }
    self = ReferenceSystem.known.first { isOne(of: $0.codes, $0.names) }?.system ?? .other
  }

  /// Whether coordinates in it are those of WGS 84 exactly.
  public var isDegrees: Bool { if case .degrees = self { true } else { false } }

  /// Whether a word is a code, which is longer than the parts of a version.
  private static func isCode(_ word: String) -> Bool {
    word.utf8.count >= 4 && word.utf8.allSatisfy({ $0.isDigit })
  }
  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    byte.isDigit || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
  }
}
