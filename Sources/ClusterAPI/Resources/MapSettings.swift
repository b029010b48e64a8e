import HTTPServer
import Texts

/// The parts of the map page beside features: the tiles below them, and the library that moves the
/// map.
public struct MapSettings: Sendable {
  /// The URL template of the tiles, with `{z}`, `{x}` and `{y}`; empty for land and borders alone.
  let basemapURL: String
  /// The credit for the tiles.
  let attribution: String
  /// The source in the page's Content-Security-Policy from which tiles may come; nil without tiles.
  let basemapSource: String?
  /// The files of Leaflet, by their names.
  let leaflet: [String: KeptBody]  // Characters: names of files of the program

  /// The names under which the files of Leaflet are served.
  public static let leafletNames = ["leaflet.js", "leaflet.css"]
  /// Those of its images, which pages of others may show, such as that of its marker.
  public static let leafletImages = [
    "marker-icon.png", "marker-icon-2x.png", "marker-shadow.png", "layers.png", "layers-2x.png",
  ]

  /// No tiles and no Leaflet.
  public init() {
    (basemapURL, attribution, basemapSource, leaflet) = ("", "", nil, [:])
  }

  // Characters: names of files of the program
  /// Creates settings.
  ///
  /// - Parameters:
  ///   - basemapURL: a template such as `https://{s}.example/{z}/{x}/{y}.png`; nil for land and borders alone.
  ///   - attribution: whose tiles they are.
  ///   - leaflet: the bytes of ``leafletNames`` and ``leafletImages``, as far as they were found.
  /// - Returns: nil unless the template is an absolute URL with all three numbers.
  public init?(basemapURL: String?, attribution: String, leaflet: [String: [UInt8]]) {
    self.attribution = attribution
    self.leaflet = leaflet.mapValues { KeptBody($0) }
    self.basemapURL = basemapURL ?? ""
    guard let basemapURL else {
      basemapSource = nil
      return
    }
    guard let source = MapSettings.source(of: basemapURL) else { return nil }
    basemapSource = source
  }

  /// Whether the map can be shown.
  var hasLeaflet: Bool { MapSettings.leafletNames.allSatisfy { leaflet[$0] != nil } }

  /// The scheme and authority of a template; nil if it isn't one. `{s}.` at its beginning stands for several hosts.
  private static func source(of template: String) -> String? {
    guard ["{z}", "{x}", "{y}"].allSatisfy({ template.holds($0) }),
      template.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    else { return nil }
    for scheme in ["https://", "http://"] {
      guard let rest = template.after(scheme) else { continue }
      let authority = rest.cut(at: UInt8(ascii: "/")).0
      let host = authority.after("{s}.")
      guard ServiceAddress.isAuthority(host ?? authority) else { return nil }
      return scheme + (host.map { "*." + $0 } ?? String(authority))
    }
    return nil
  }
}
