internal import Texts

/// The options for reading a table. Those that aren't given are detected.
public struct TableOptions: Sendable, Equatable {
  /// The label of the encoding, as iconv(3) knows it.
  public var encoding: String?
  /// The byte between fields.
  public var separator: UInt8?
  /// The byte before the decimals of a number, a point or a comma.
  public var decimal: UInt8?
  /// The name of the column of longitudes, which goes with that of latitudes.
  public var longitude: String?
  /// The name of the column of latitudes.
  public var latitude: String?
  /// The name of the column of points, instead of two columns of coordinates.
  public var geometry: String?
  /// A JSON pointer to the list of places in a document that has several.
  public var layer: String?
  /// The names of columns of which everything is text.
  public var text: [String] = []
  /// Whether bytes that aren't UTF-8 are read as Windows-1252 if all can be, with a note, rather than refused.
  public var assumesEncoding = false

  /// The separators that can be named, by their names.
  public static let separators: KeyValuePairs<String, UInt8> = [
    ",": 0x2C, ";": 0x3B, "|": 0x7C, "tab": 0x09,
  ]

  /// Options of which none is given.
  public init() {}

  /// The separator of a name; nil if it has none.
  public static func separator(named name: String) -> UInt8? {
    separators.first { $0.key.isSame(as: name) }?.value
  }

  /// An unknown option, or one that doesn't go with another: its name and the reason; nil if there
  /// is none.
  public var fault: (option: String, detail: String)? {
    if let encoding, !TextDecoder.isKnown(encoding) {
      return (
        "encoding", "no encoding that iconv knows, such as utf-16, windows-1252 or iso-8859-15"
      )
    }
    if (longitude == nil) != (latitude == nil) {
      return longitude == nil
        ? ("lat", "given without lon, the column of longitudes")
        : ("lon", "given without lat, the column of latitudes")
    }
    if geometry != nil, longitude != nil {
      return ("geometry", "given beside lon and lat; a table has one or the other")
    }
    return nil
  }
}
