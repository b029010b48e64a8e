import ClusterCore
import Glibc

extension TwinRequest {
  /// A random viewport of any form about a random feature: every scale, the antimeridian, rects
  /// wider than the world, and every clustering field. Valid, though it may ask for too much.
  public static func random(
    over twin: Twin, using generator: inout SeededGenerator
  ) -> TwinRequest {
    let centre = generator.pick(twin.placed)
    let width = Twin.worldSize * pow(2, generator.double(-18...1))
    let height = width * pow(2, generator.double(-1.5...1.5))
    var x = centre.x + generator.double(-1...0) * width
    if generator.chance(0.12) { x = generator.pick([0, Twin.worldSize]) - width / 2 }
    let y = centre.y + generator.double(-1...0) * height
    let rect = randomRect(x: x, y: y, width: width, height: height, using: &generator)

    var scale = Scale.viewportWidth(generator.pick([320, 390, 1024, 1920.5]))
    if generator.chance(0.4) {
      let zoom = log2(Twin.worldSize / 256 / width * generator.double(200...2000))
      let whole = floor(min(24, max(0, zoom)))
      scale = .zoom(generator.chance(0.5) ? whole : min(24, max(0, zoom)))
    }
    var request = TwinRequest(rect, scale)
    request.vary(over: twin, using: &generator)
    return request
  }

  private static func randomRect(
    x: Double, y: Double, width: Double, height: Double, using generator: inout SeededGenerator
  ) -> Rect {
    let north = Twin.unproject(x: 0, y: min(Twin.worldSize, max(0, y))).latitude
    let south = Twin.unproject(x: 0, y: min(Twin.worldSize, max(0, y + height))).latitude
    let degrees = width / Twin.worldSize * 360
    var west = x / Twin.worldSize * 360 - 180
    switch generator.int(0...2) {
    case 0:
      let shift = generator.pick([0, 0, 0, -Twin.worldSize, Twin.worldSize])
      return .mapRect(x: x + shift, y: y, width: width, height: height)
    case 1 where degrees <= 360:
      while west >= 180 { west -= 360 }
      while west < -180 { west += 360 }
      let middle = west + degrees / 2
      return .region(
        center: Coordinate(
          latitude: (north + south) / 2, longitude: middle > 180 ? middle - 360 : middle),
        latitudeDelta: north - south, longitudeDelta: degrees)
    default:
      var east = west + degrees
      if degrees < 360, generator.chance(0.7) {  // both ends within ±180: crossing has west > east
        while west >= 180 { west -= 360 }
        while west < -180 { west += 360 }
        east = west + degrees
        if east > 180 { east -= 360 }
      }
      return .bbox(west: west, south: south, east: east, north: north)
    }
  }

  private mutating func vary(over twin: Twin, using generator: inout SeededGenerator) {
    if generator.chance(0.6) {
      cellSize = generator.pick([1, 32, 60, 64, 88, 100.5, 256, 2048])
    }
    if generator.chance(0.5) { marginFactor = generator.pick([0, 0.25, 0.3333, 1, 4]) }
    if generator.chance(0.25) { zoomStep = generator.pick(TwinZoomStep.some) }
    clusterer = generator.pick(Clusterer.allCases)
    if generator.chance(0.2) { maxZoomLevelForClustering = generator.pick([0, 5, 10.5, 14]) }
    if generator.chance(0.25) { minUniqueLocationsForClustering = generator.int(0...6) }
    if generator.chance(0.25) { minPoints = generator.pick([1, 2, 3, 5, 20]) }
    decluster = generator.chance(0.25)
    if generator.chance(0.2) { distanceFromContestedLocation = generator.pick([0, 1, 50.5, 1000]) }
    if generator.chance(0.4) { titleProperty = generator.pick(["name", "population", "absent"]) }
    if generator.chance(0.3) { subtitleLimit = generator.int(1...8) }
    if generator.chance(0.3) { members = generator.pick([1, 3, 100]) }
    if generator.chance(0.1) { limit = generator.pick([1, 20, 200]) }
    guard generator.chance(0.3) else { return }
    let near = (try? twin.featuresOnScreen(of: self)) ?? []
    var apart: Set<FeatureID> = []
    for _ in 0..<generator.int(1...6) {
      apart.insert(near.isEmpty ? FeatureID(known: 987_654_321) : generator.pick(near).id)
    }
    keepApart = apart.sorted()
  }
}
