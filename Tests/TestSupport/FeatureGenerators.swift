import ClusterCore
import Glibc

extension TwinFeature {
  private static func named(_ kind: String, _ index: Int) -> String {
    "{\"name\":\"\(kind) \(index)\",\"population\":\(index * 37 % 1001)}"
  }

  /// Evenly over the sphere, ids from `firstID`.
  public static func world(
    _ count: Int, firstID: Int = 1, using generator: inout SeededGenerator
  ) -> [TwinFeature] {
    (0..<count).map { i in
      let latitude = asin(generator.double(-1...1)) * 180 / .pi
      return TwinFeature(firstID + i, generator.double(-180...180), latitude, named("world", i))
    }
  }

  /// In towns of very different sizes, as cities and their suburbs are; every longitude in −180…180.
  public static func cities(
    _ count: Int, towns: Int = 40, firstID: Int = 1, using generator: inout SeededGenerator
  ) -> [TwinFeature] {
    let centres = (0..<max(1, towns)).map { _ in
      (
        lon: generator.double(-180...180), lat: generator.double(-60...72),
        size: pow(10, generator.double(-4...0.3))
      )
    }
    return (0..<count).map { i in
      // The first towns are the largest, roughly as Zipf has it.
      let share = generator.double(0...1)
      let town = centres[min(centres.count - 1, Int(share * share * Double(centres.count)))]
      let longitude = wrapped(town.lon + generator.bell() * town.size)
      let latitude = min(90, max(-90, town.lat + generator.bell() * town.size))
      return TwinFeature(firstID + i, longitude, latitude, named("city", i))
    }
  }

  /// All at one coordinate; every third id is text, so that both kinds of id meet.
  public static func coincident(
    _ count: Int, at coordinate: Coordinate, firstID: Int = 1
  ) -> [TwinFeature] {
    (0..<count).map { i in
      let id = i % 3 == 2 ? FeatureID(known: "stone-\(i)") : FeatureID(known: firstID + i)
      return TwinFeature(id: id, coordinate: coordinate, properties: named("stone", i))
    }
  }

  /// On the lines and corners of the grid of 2^level cells: exactly on lines of longitude, within
  /// rounding on those of latitude, and one unit in the last place to either side.
  public static func onGridLines(level: Int, count: Int, firstID: Int = 1) -> [TwinFeature] {
    let cells = 1 << min(max(level, 1), 20)
    let step = max(1, cells * cells / max(1, count))
    return (0..<count).map { i in
      let cell = i * step % (cells * cells)
      let (column, row) = (cell % cells, cell / cells)
      var longitude = Double(column) / Double(cells) * 360 - 180
      let y = Double(row) / Double(cells) * Twin.worldSize
      var latitude = Twin.unproject(x: 0, y: y).latitude
      switch i % 3 {
      case 1: (longitude, latitude) = (longitude.nextUp, latitude.nextUp)
      case 2: (longitude, latitude) = (max(-180, longitude.nextDown), latitude.nextDown)
      default: break
      }
      return TwinFeature(firstID + i, longitude, latitude, named("line", i))
    }
  }

  /// The ends of the world: poles, the edge of the projection, both names of the antimeridian.
  public static func edges(firstID: Int = 1) -> [TwinFeature] {
    let longitudes = [-180, (-180.0).nextUp, -179.999_999_9, -90, -0.0, 0, 90, 180.0.nextDown, 180]
    let edge = 85.051_128_78
    let latitudes = [
      90, 89.9, edge.nextUp, edge, edge.nextDown, 45, 0, -0.0, -45, -edge, -edge.nextUp, -90,
    ]
    var features: [TwinFeature] = []
    for longitude in longitudes {
      for latitude in latitudes {
        let i = features.count
        features.append(TwinFeature(firstID + i, longitude, latitude, named("edge", i)))
      }
    }
    return features
  }

  /// Tiny clusters: each a handful of distinct coordinates inside one location.
  public static func insideLocations(
    clusters: Int, each: Int, firstID: Int = 1, using generator: inout SeededGenerator
  ) -> [TwinFeature] {
    var features: [TwinFeature] = []
    for _ in 0..<clusters {
      let column = floor(generator.double(0...1) * 8_388_607)
      let row = floor(generator.double(0.1...0.9) * 8_388_607)
      for _ in 0..<each {
        let coordinate = Twin.unproject(
          x: (column + generator.double(0.01...0.99)) * Twin.locationSize,
          y: (row + generator.double(0.01...0.99)) * Twin.locationSize)
        let i = features.count
        features.append(
          TwinFeature(firstID + i, coordinate.longitude, coordinate.latitude, named("tiny", i)))
      }
    }
    return features
  }

  /// Some of everything, with distinct ids, in no order: `count` features or a few more.
  public static func mixed(_ count: Int, using generator: inout SeededGenerator) -> [TwinFeature] {
    let share = max(1, count / 6)
    var features = edges(firstID: 1)
    let stone = Coordinate(latitude: 52.517729, longitude: 13.3937395)
    features += coincident(share, at: stone, firstID: 1_000_000)
    features += coincident(3, at: Coordinate(latitude: 10, longitude: 180), firstID: 2_000_000)
      .enumerated().map { TwinFeature(2_000_000 + $0.offset, 180, 10, $0.element.properties) }
    features += onGridLines(level: 5, count: share, firstID: 3_000_000)
    features += insideLocations(
      clusters: max(1, share / 5), each: 5, firstID: 4_000_000, using: &generator)
    features += world(share, firstID: 5_000_000, using: &generator)
    let rest = max(1, count - features.count)
    features += cities(rest, firstID: 6_000_000, using: &generator)
    return features.shuffled(using: &generator)
  }

  private static func wrapped(_ longitude: Double) -> Double {
    if longitude > 180 { return longitude - 360 }
    return longitude < -180 ? longitude + 360 : longitude
  }
}
