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

  /// The times of ``printTimes()`` are from ten years on from here, in milliseconds since 1970: 2015-01-01.
  static let (start, length) = (1_420_070_400_000.0, 10 * 365.25 * 86_400_000)

  /// Reads the sample.
  ///
  /// - Parameters:
  ///   - path: a CSV file with the columns id, name, country, population, timezone, longitude and
  ///     latitude. Lines with quotes are left out.
  ///   - count: the number of cities to make.
  init(_ path: String, count: Int) throws {
    let originals = try lines(of: path).dropFirst().compactMap(City.init)
    try ensure(!originals.isEmpty, "\(path) has no cities")
    cities = Array(originals.prefix(count))
    var synthetic = Synthetic(seed: 9)
    for number in cities.count..<max(count, cities.count) {
      var city = originals[number % originals.count]
      city.coordinate = synthetic.near(city.coordinate)
      cities.append(city)
    }
  }

  /// Prints the cities for an import: one GeoJSON Feature on each line, with consecutive ids.
  func printFeatures() throws {
    for (index, city) in cities.enumerated() {
      print(
        try Synthetic.feature(index + 1, city.coordinate) { json in
          json.member("name", city.name)
          json.member("population", city.population)
          json.member("country", city.country)
        })
    }
  }

  /// Prints them as a table with times: some that have nothing to do with where the features are, and some that go
  /// along with it.
  func printTimes() {
    let (start, length) = (Cities.start, Cities.length)
    print("id,longitude,latitude,country,population,seen,surveyed,opens,closes")
    var synthetic = Synthetic(seed: 13)
    for (number, city) in cities.enumerated() {
      let population = Double(city.population) * (0.5 + synthetic.uniform())
      // Regions are surveyed one after the other, in the order of the index.
      let place = Double(Position(city.coordinate).zOrder) * 0x1p-64
      let opens = start + length * synthetic.uniform()
      let times = [
        start + length * synthetic.uniform(),
        start + length * min(place + synthetic.uniform() / 500, 1), opens,
        opens + length / 20 * synthetic.uniform(),
      ].map { DateTime.text(Int64($0 / 1000) * 1000) }
      print(
        "\(number + 1),\(city.coordinate.longitude),\(city.coordinate.latitude),\(city.country),"
          + "\(Int(population)),\(times.joined(separator: ","))")
    }
  }
}

extension Cities.City {
  fileprivate init?(_ line: String) {
    let fields = line.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    guard !line.utf8.contains(UInt8(ascii: "\"")), fields.count == 7,
      let longitude = Double(fields[5]), let latitude = Double(fields[6])
    else { return nil }
    self.init(
      name: fields[1], country: fields[2], population: Int(fields[3]) ?? 0,
      coordinate: Coordinate(latitude: latitude, longitude: longitude))
  }
}
