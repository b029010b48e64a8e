internal import Texts

/// The axis that the name of a column means, by its words: those between signs and at capitals, as in
/// `stop_lat`, `decimalLongitude` and `Latitude (deg)`.
struct CoordinateName {
  /// How a name means a coordinate, the surest first.
  enum Kind: Int, CaseIterable {
    case name, nameWithWord, foreign, foreignWithWord, letter, grid, letterWithWord

    /// Whether it is by the name of an axis.
    var isWord: Bool { rawValue < Kind.letter.rawValue }
  }

  typealias Axis = CoordinateText.Axis

  /// The words for both axes, and what they are alone and beside other words. The first that are found count.
  private static let axes:
    [(longitudes: [String], latitudes: [String], alone: Kind, beside: Kind)] =
      [
        (["lon", "lng", "long", "longitude"], ["lat", "latitude"], .name, .nameWithWord),
        (
          [
            "länge", "laenge", "längengrad", "laengengrad", "longitud", "longitudine",
            "lengtegraad",
            "lengdegrad", "længdegrad", "längdgrad", "pituusaste", "boylam", "долгота", "Долгота",
            "довгота", "経度", "经度", "經度", "경도",
          ],
          [
            "breite", "breitengrad", "latitud", "latitudine", "breedtegraad", "breddegrad",
            "breddgrad", "leveysaste", "enlem", "широта", "Широта", "緯度", "纬度", "위도",
          ], .foreign, .foreignWithWord
        ),
        (
          ["rechtswert", "easting", "eastings"], ["hochwert", "northing", "northings"], .grid, .grid
        ),
        (["x"], ["y"], .letter, .letterWithWord),
      ]
  /// Words beside the name of an axis that make another figure of it than its degrees.
  private static let figures = [
    "error", "err", "accuracy", "precision", "uncertainty", "std", "stddev", "sigma", "rad",
    "radians", "e7",
  ]
  /// Words beside the name of an axis that make it that of a letter for the hemisphere.
  private static let hemispheres = ["dir", "direction", "ref", "hemisphere", "hemi"]
  /// Words for degrees, minutes and seconds that have columns of their own.
  private static let parts = [
    [
      "deg", "degs", "degree", "degrees", "d", "dd", "grad", "g", "grados", "graus", "gradi",
      "degres", "degrés",
    ],
    ["min", "mins", "minute", "minutes", "m", "mm", "minuten", "minutos", "minuti"],
    [
      "sec", "secs", "second", "seconds", "s", "ss", "sek", "sekunden", "segundos", "secondi",
      "secondes",
    ],
  ]
  /// Words that let a letter be a coordinate.
  private static let gridWords = [
    "coord", "coords", "coordinate", "koord", "koordinate", "geo", "gps", "pos", "position",
    "point", "center", "centre", "map", "wgs", "wgs84", "epsg4326", "4326", "deg",
  ]
  /// Units that no degrees have.
  private static let lengths = [
    "m", "km", "cm", "mm", "ft", "feet", "foot", "in", "inch", "zoll", "mi", "px", "pixel",
    "meter", "meters", "metre", "metres", "metern",
  ]

  /// The coordinate that the name means, and how.
  private(set) var axis: (axis: Axis, kind: Kind)?
  /// The axis whose hemisphere the column may name by letters, as `N/S` and `lat_dir` do.
  private(set) var hemisphere: Axis?
  /// Whether `long` is all that says so, which is also an adjective.
  private(set) var isOnlyLong = false
  /// The part of an axis's degrees by its word, in the order of ``parts``, and the words besides.
  private(set) var part: (axis: Axis, number: Int, besides: [UInt8])?
  /// The axis that the last word ends with, and what is before that, as in `INTPTLAT` and `reclong`.
  private(set) var ending: (axis: Axis, stem: [UInt8])?
  /// Names of columns of points, in the order in which they are taken, and the axis of the first of two numbers under
  /// them, if they tell one: of numbers alone, and of a list in brackets, as GeoJSON has it.
  static let geometries: [(names: [String], first: Axis?, ofList: Axis?)] = [
    (["wkt"], nil, .longitude), (["geom"], nil, .longitude), (["geometry"], nil, .longitude),
    (["thegeom"], nil, .longitude), (["location"], nil, nil),
    (["coordinates", "geometrycoordinates", "locationcoordinates"], nil, .longitude),
    (["geopoint"], .latitude, .latitude),
    (["latlng", "latlon", "latlong", "latitudelongitude"], .latitude, .latitude),
    (
      [
        "lonlat", "lnglat", "longlat", "longitudelatitude", "coordonneesxy", "coordonnéesxy",
        "coordxy", "coordsxy", "coordinatesxy",
      ], .longitude, .longitude
    ),
    (["coord"], nil, nil), (["coords"], nil, nil), (["coordonneesgeo"], nil, nil),
    (["gps"], nil, nil),
    (["geolocation", "geolocalisation", "géolocalisation", "georeference"], nil, nil),
    (
      ["coordonnees", "coordonnées", "coordenadas", "koordinaten", "coordinate", "coordinaten"],
      nil, nil
    ),
  ]
  /// The order of two numbers, as far as the name tells.
  var order: PointText.Order {
    geometry.map {
      PointText.Order(
        first: CoordinateName.geometries[$0].first, ofList: CoordinateName.geometries[$0].ofList)
    }
      ?? PointText.Order()
  }
  /// Words that say of any point how it is written.
  private static let qualities = ["gps", "geo", "wgs", "wgs84", "84", "decimal"]
  /// The place in ``geometries``.
  private(set) var geometry: Int?

  init(_ name: [UInt8]) {
    let (words, unit) = CoordinateName.words(name)
    let joined = words.joined()
    let bare = words.filter { !CoordinateName.qualities.contains(where: $0.isSame) }.joined()
    geometry = CoordinateName.geometries.firstIndex { names, _, _ in
      names.contains { joined.isSame(as: $0) || bare.isSame(as: $0) }
        || names[0].isSame(as: "geopoint") && joined.begins(with: names[0])
    }
    guard geometry == nil else { return }
    hemisphere = joined.isSame(as: "ns") ? .latitude : joined.isSame(as: "ew") ? .longitude : nil
    guard hemisphere == nil else { return }
    func holds(_ names: [String]) -> Bool { words.contains { names.contains(where: $0.isSame) } }
    if holds(CoordinateName.figures) { return }
    let isLength = CoordinateName.lengths.contains { $0.isSame(as: unit) }
    let hasWord = words.count > 1 || !unit.isEmpty
    for (longitudes, latitudes, alone, beside) in CoordinateName.axes {
      let hits = [(Axis.longitude, longitudes), (.latitude, latitudes)].compactMap { axis, names in
        words.first { names.contains(where: $0.isSame) }.map { (axis, $0) }
      }
      guard let hit = hits.first else { continue }
      // Letters are coordinates alone, or beside words that say so.
      let others = words.filter { !$0.isSame(as: "x") && !$0.isSame(as: "y") }
      guard alone != .letter || CoordinateName.areOfGrid(others) else { return }
      // A name that means both means none.
      if hits.count == 1, !isLength || alone == .grid {
        axis = (hit.0, hasWord ? beside : alone)
      }
      isOnlyLong = hit.1.isSame(as: "long") && hasWord
      if holds(CoordinateName.hemispheres) { hemisphere = axis?.axis }
      let besides = (unit.isEmpty ? words : words + [unit]).filter { !$0.isSame(as: hit.1) }
      func number(_ word: String) -> Int? {
        CoordinateName.parts.firstIndex { $0.contains(where: word.isSame) }
      }
      let numbers = besides.compactMap(number)
      if hits.count == 1, alone != .letter, numbers.count == 1 {
        let others = besides.filter { number($0) == nil }
        part = (hit.0, numbers[0], Array(others.joined(separator: " ").utf8))
      }
      return
    }
    let digits = joined.utf8.reversed().prefix(while: \.isDigit).count
    let letters = String(decoding: joined.utf8.dropLast(digits), as: UTF8.self)
    for (axis, names) in [
      (Axis.longitude, CoordinateName.axes[0].longitudes),
      (.latitude, CoordinateName.axes[0].latitudes),
    ] {
      guard let name = names.first(where: letters.ends) else { continue }
      let stem = letters.utf8.dropLast(name.utf8.count)
      if !stem.isEmpty { ending = (axis, Array(stem) + joined.utf8.suffix(digits)) }
    }
  }

  private static func areOfGrid(_ words: [String]) -> Bool {
    words.allSatisfy { word in gridWords.contains(where: word.isSame) }
  }

  /// Names of members that hold the whole answer, or one place, and say nothing of which.
  private static let wrappers = [
    "data", "result", "results", "response", "body", "payload", "item", "record", "object", "value",
    "location", "place", "address",
  ]

  /// Whether a name says that it holds a position, not which.
  static func isPosition(_ name: [UInt8]) -> Bool {
    let words = words(name).words
    return !words.isEmpty && areOfGrid(words)
  }

  /// Whether a name stands around any place, so that it is no place's own.
  static func isWrapper(_ name: [UInt8]) -> Bool {
    let joined = words(name).words.joined()
    return CoordinateName(name).geometry != nil || isPosition(name)
      || wrappers.contains(where: joined.isSame)
  }

  /// Names of the corners of a view or an area.
  private static let corners = [
    "sw", "ne", "nw", "se", "southwest", "northeast", "northwest", "southeast", "min", "max",
    "topleft", "topright", "bottomleft", "bottomright", "lower", "upper",
  ]

  /// Whether a name is that of a corner of an area.
  static func isCorner(_ name: [UInt8]) -> Bool {
    let joined = words(name).words.joined()
    return corners.contains(where: joined.isSame)
  }

  /// The words of a name in small letters, and the unit in brackets. A long name has none.
  private static func words(_ name: [UInt8]) -> (words: [String], unit: String) {
    guard name.count <= 100 else { return ([], "") }
    var words: [[UInt8]] = [[]]
    var unit: [UInt8] = []
    var isUnit = false
    for (index, byte) in name.enumerated() {
      let isCapital = (0x41...0x5A).contains(byte)
      let isPart =
        isCapital || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte >= 0x80
      if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") {
        isUnit = true
        words.append([])
      } else if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") {
        isUnit = false
      } else if isUnit {
        unit.append(byte.lowercasedASCII)
      } else if !isPart {
        words.append([])
      } else {
        let before = index > 0 ? name[index - 1] : 0
        let after = index + 1 < name.count ? name[index + 1] : 0
        let isAfterSmall = (0x61...0x7A).contains(before) || (0x30...0x39).contains(before)
        let isBeforeSmall = (0x61...0x7A).contains(after) && (0x41...0x5A).contains(before)
        if isCapital, isAfterSmall || isBeforeSmall { words.append([]) }
        // Capitals with an umlaut, C3 80 to C3 9E.
        let isUmlaut = before == 0xC3 && (0x80...0x9E).contains(byte)
        words[words.count - 1].append(isUmlaut ? byte | 0x20 : byte.lowercasedASCII)
      }
    }
    return (
      words.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) },
      String(decoding: unit, as: UTF8.self).trimmed.lowercasedASCII
    )
  }
}
