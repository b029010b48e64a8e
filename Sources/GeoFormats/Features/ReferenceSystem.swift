/// Reference systems of coordinates, by their names.
public enum ReferenceSystem {
  /// Whether coordinates in a system are longitudes and latitudes of WGS 84 in degrees, with or without a height. The
  /// longitude comes first, as always in GeoJSON, whatever the system says.
  public static func isDegrees(_ name: String) -> Bool {
    let code =
      name.utf8.split { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }.last ?? ""[...].utf8
    return ["CRS84", "CRS84h", "4326", "4979"].contains { code.elementsEqual($0.utf8) }
  }
}
