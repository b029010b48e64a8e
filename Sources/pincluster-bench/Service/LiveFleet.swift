import ClusterCore
import GeoFormats

/// The features that move: those of the sample, a little, and further ones, which cross the cells of a pond
/// in the Pacific.
struct LiveFleet: Sendable {
  let port: UInt16
  let collection: String
  /// The sample that ``SampleFile`` wrote.
  let places: [SamplePlace]
  /// The number of features in the pond. Their numbers follow those of the sample.
  static let swimmers = 1000

  /// The bounds of the pond, and how far beyond them a grid may reach.
  private static let pond = (west: -170.0, south: 30.0, east: -140.0, north: 50.0, shore: 4.0)

  /// The pond on a screen, in a few hundred cells.
  static let pondView = "bbox=-170,30,-140,50&viewportWidth=1024&marginFactor=0"

  var items: String { "/collections/\(collection)/items" }

  func path(_ number: Int) -> String { "\(items)/\(number + 1)" }

  /// The number of a feature that may move: half of the time one in the pond.
  func number(_ synthetic: inout Synthetic) -> Int {
    if synthetic.uniform() < 0.5 {
      return places.count + Int(synthetic.uniform() * Double(LiveFleet.swimmers))
    }
    while true {
      let number = Int(synthetic.uniform() * Double(places.count))
      if !LiveFleet.isNearPond(places[number].coordinate) { return number }
    }
  }

  private static func isNearPond(_ coordinate: Coordinate) -> Bool {
    (pond.west - pond.shore...pond.east + pond.shore).contains(coordinate.longitude)
      && (pond.south - pond.shore...pond.north + pond.shore).contains(coordinate.latitude)
  }

  /// A feature at a new coordinate, as GeoJSON.
  func text(_ number: Int, moved synthetic: inout Synthetic) -> [UInt8] {
    var sample: SamplePlace
    let (x, y) = (synthetic.uniform(), synthetic.uniform())
    if number < places.count {
      sample = places[number]
      sample.coordinate.latitude = min(90, max(-90, sample.coordinate.latitude + (y - 0.5) * 0.1))
      sample.coordinate.longitude = Geodesy.normalisedLongitude(
        sample.coordinate.longitude + (x - 0.5) * 0.1)
    } else {
      let pond = LiveFleet.pond
      sample = places[number - places.count]
      sample.number = number + 1
      sample.coordinate = Coordinate(
        latitude: pond.south + 1 + y * (pond.north - pond.south - 2),
        longitude: pond.west + 1 + x * (pond.east - pond.west - 2))
    }
    var json = JSONWriter(reserving: 512)
    // Cannot fail: the id is an integer and the numbers are finite.
    try? SamplePlace.batch([sample][...]).withRecord(at: 0) { json.feature($0) }
    return json.bytes
  }

  /// The features of the pond as one FeatureCollection.
  func pond(_ synthetic: inout Synthetic) -> [UInt8] {
    var body = Array("{\"type\":\"FeatureCollection\",\"features\":[".utf8)
    for swimmer in 0..<LiveFleet.swimmers {
      if swimmer > 0 { body.append(UInt8(ascii: ",")) }
      body += text(places.count + swimmer, moved: &synthetic)
    }
    return body + "]}".utf8
  }

  /// The query of a phone's viewport around a random place, from continents to streets.
  func view(_ synthetic: inout Synthetic) -> String {
    let centre = places[Int(synthetic.uniform() * Double(places.count))].coordinate
    let width = 90 / Double(1 << Int(synthetic.uniform() * 13))
    let height = min(width * 1.5, 80)
    let south = max(-85, min(85 - height, centre.latitude - height / 2))
    let west = centre.longitude - width / 2
    return "bbox=\(west),\(south),\(west + width),\(south + height)&viewportWidth=375"
  }
}
