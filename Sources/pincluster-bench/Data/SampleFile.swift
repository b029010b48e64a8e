import GeoFormats

/// Files of synthetic features with about 100 bytes of properties each, for imports.
enum SampleFile {
  /// Writes a FeatureCollection to `.geojson`, a table to `.csv`, and one GeoJSON Feature on each line to any
  /// other file. The features are the same.
  static func write(count: Int, to path: String) throws {
    let places = SamplePlace.places(count, seed: 3)
    let file = try OutputFile(path)
    if path.hasSuffix(".csv") {
      try file.write("id,longitude,latitude," + SamplePlace.names.joined(separator: ",") + "\n")
      for place in places { try file.write(place.csv) }
    } else {
      let isCollection = path.hasSuffix(".geojson")
      if isCollection { try file.write(#"{"type":"FeatureCollection","features":["# + "\n") }
      var line = JSONWriter(reserving: 1024)
      for index in places.indices {
        line.removeAll()
        try SamplePlace.batch(places[index...index]).withRecord(at: 0) { line.feature($0) }
        try line.withBytes { try file.write($0) }
        try file.write(isCollection && index + 1 < count ? ",\n" : "\n")
      }
      if isCollection { try file.write("]}\n") }
    }
    try file.finish()
  }
}
