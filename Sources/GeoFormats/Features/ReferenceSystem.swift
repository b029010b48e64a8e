/// Reference systems of coordinates, by their names.
public enum ReferenceSystem {
  /// Whether coordinates in a system are longitudes and latitudes of WGS 84 in degrees, with or without a height. The
  /// longitude comes first, as always in GeoJSON, whatever the system says.
  public static func isDegrees(_ name: String) -> Bool {
    isOne(of: ["CRS84", "CRS84h", "4326", "4979"], name)
  }

  /// The name for people of a system whose degrees are those of WGS 84 within a metre or two; nil for another system.
  static func near(_ name: String) -> String? {
    if isOne(of: ["4258"], name) { return "ETRS89" }
    return isOne(of: ["4269"], name) ? "NAD83" : nil
  }

  private static func isOne(of codes: [String], _ name: String) -> Bool {
    let code =
      name.utf8.split { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }.last ?? ""[...].utf8
    return codes.contains { code.elementsEqual($0.utf8) }
  }
}
