import ClusterCore
import GeoFormats

/// A table of features near real cities that have times: some that have nothing to do with where the features are,
/// and some that go along with it.
enum TimedPlaces {
  /// The times are from ten years on from here, in milliseconds since 1970: 2015-01-01.
  static let (start, length) = (1_420_070_400_000.0, 10 * 365.25 * 86_400_000)

  /// Writes a table for an import; the same each time.
  ///
  /// - Parameter sample: the path of the sample of cities.
  static func write(count: Int, sample: String, to path: String) throws {
    let cities = try Cities(sample, count: count).cities
    let file = try OutputFile(path)
    try file.write(
      "id,longitude,latitude,country,population,seen,surveyed,opens,closes\n")
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
      try file.write(
        "\(number + 1),\(city.coordinate.longitude),\(city.coordinate.latitude),\(city.country),"
          + "\(Int(population)),\(times.joined(separator: ","))\n")
    }
    try file.finish()
  }
}
