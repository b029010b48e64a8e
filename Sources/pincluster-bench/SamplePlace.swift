import ClusterCore

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

  /// The names of the properties.
  static let names = ["name", "country", "population", "priority", "note"]

  /// Prints places for an import: as a FeatureCollection (`geojson`) or a table (`csv`) with the same features.
  static func printAll(_ count: Int, as format: String) throws {
    let places = places(count, seed: 3)
    if format == "csv" {
      print("id,longitude,latitude," + names.joined(separator: ","))
      for place in places { print(place.line) }
    } else {
      print(#"{"type":"FeatureCollection","features":["#)
      for place in places {
        print(try place.feature + (place.number < count ? "," : "]}"))
      }
    }
  }

  /// A line of a table: id, longitude, latitude and the properties.
  private var line: String {
    "\(number),\(coordinate.longitude),\(coordinate.latitude),Place number \(1_000_000 + number),"
      + "\(SamplePlace.countries[country]),\(population),\(priority),what a person would write"
  }

  /// The place as GeoJSON.
  var feature: String {
    get throws {
      try Synthetic.feature(number, coordinate) { json in
        json.member("name", "Place number \(1_000_000 + number)")
        json.member("country", SamplePlace.countries[country])
        json.member("population", population)
        json.member("priority", priority)
        json.member("note", "what a person would write")
      }
    }
  }
}
