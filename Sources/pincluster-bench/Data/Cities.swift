import ClusterCore
import GeoFormats

/// The cities of the sample, repeated: first as they are, then near their coordinates. The result is the
/// same each time.
struct Cities {
  struct City {
    var name: String
    var country: String
    var population: Int
    var coordinate: Coordinate
  }

  private(set) var cities: [City] = []

  /// Reads the sample.
  ///
  /// - Parameters:
  ///   - path: a CSV file with the columns id, name, country, population, timezone, longitude and
  ///     latitude. Lines with quotes are left out.
  ///   - count: the number of cities to make.
  init(_ path: String, count: Int) throws {
    let originals = try InputFile.read(path).split { $0 == 0x0D || $0 == 0x0A }.dropFirst()
      .compactMap(City.init)
    guard !originals.isEmpty else { throw InputFile.Failure(path: path, reason: "has no cities") }
    cities = Array(originals.prefix(count))
    var synthetic = Synthetic(seed: 9)
    for number in cities.count..<max(count, cities.count) {
      var city = originals[number % originals.count]
      city.coordinate = synthetic.near(city.coordinate)
      cities.append(city)
    }
  }

  /// Writes the cities for an import: one GeoJSON Feature on each line, with consecutive ids.
  func write(to path: String) throws {
    let file = try OutputFile(path)
    var json = JSONWriter(reserving: 512)
    var properties = JSONWriter(reserving: 256)
    for (index, city) in cities.enumerated() {
      json.removeAll()
      properties.removeAll()
      city.writeProperties(into: &properties)
      try properties.withBytes {
        var batch = FeatureBatch()
        try batch.append(index + 1, city.coordinate, $0)
        batch.withRecord(at: 0) { json.feature($0) }
      }
      json.newline()
      try json.withBytes { try file.write($0) }
    }
    try file.finish()
  }
}

extension Cities.City {
  fileprivate init?(_ line: ArraySlice<UInt8>) {
    let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard !line.contains(UInt8(ascii: "\"")), fields.count == 7, let longitude = Double(fields[5]),
      let latitude = Double(fields[6])
    else { return nil }
    self.init(
      name: fields[1], country: fields[2], population: Int(fields[3]) ?? 0,
      coordinate: Coordinate(latitude: latitude, longitude: longitude))
  }

  fileprivate func writeProperties(into json: inout JSONWriter) {
    json.beginObject()
    json.member("name", name)
    json.member("population", population)
    json.member("country", country)
    json.endObject()
  }
}
