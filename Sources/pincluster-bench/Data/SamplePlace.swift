import ClusterCore
import GeoFormats
import Glibc

/// A synthetic feature: a place with about 100 bytes of properties.
struct SamplePlace {
  var number: Int
  var coordinate: Coordinate
  /// The index in ``countries``; 0 for about a third of all places.
  var country: Int
  /// Skewed: half of the places have less than ``medianPopulation``.
  var population: Int
  /// Uniform in 0…1000.
  var priority: Int

  static let countries = [
    "China", "India", "Brazil", "France", "Germany", "Japan", "Mexico", "Peru", "Chad", "Fiji",
  ]
  static let medianPopulation = 25_000

  /// Places that crowd like cities. Equal seeds give equal places.
  static func places(_ count: Int, seed: UInt64) -> [SamplePlace] {
    var synthetic = Synthetic(seed: seed)
    let points = synthetic.cities(count)
    return points.enumerated().map { number, point in
      let share = synthetic.uniform()
      let size = synthetic.uniform()
      return SamplePlace(
        number: number + 1, coordinate: point,
        country: Int(share * share * Double(countries.count)),
        population: Int(size * size * Double(4 * medianPopulation)),
        priority: Int(synthetic.uniform() * 1001))
    }
  }

  /// A batch of some places.
  static func batch(_ places: ArraySlice<SamplePlace>) throws -> FeatureBatch {
    var batch = FeatureBatch()
    var json = JSONWriter(reserving: 128)
    for place in places {
      json.removeAll()
      place.writeProperties(into: &json)
      try json.withBytes { try batch.append(place.number, place.coordinate, $0) }
    }
    return batch
  }

  /// The names of the properties.
  static let names = ["name", "country", "population", "priority", "note"]

  /// A line of a table: id, longitude, latitude and the properties.
  var csv: String {
    "\(number),\(coordinate.longitude),\(coordinate.latitude),Place number \(1_000_000 + number),"
      + "\(SamplePlace.countries[country]),\(population),\(priority),what a person would write\n"
  }

  private func writeProperties(into json: inout JSONWriter) {
    json.beginObject()
    json.member("name", "Place number \(1_000_000 + number)")
    json.member("country", SamplePlace.countries[country])
    json.member("population", population)
    json.member("priority", priority)
    json.member("note", "what a person would write")
    json.endObject()
  }
}
