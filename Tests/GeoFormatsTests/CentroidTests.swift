import ClusterCore
import GeoFormats
import TestSupport
import Testing

/// Lines and areas that are taken as their centroids.
@Suite(.timeLimit(.minutes(5))) struct CentroidTests {
  private func centroid(_ geometry: String) -> [Double]? {
    var reader = FeatureReader(isSequence: true, takesCentroids: true)
    var parsed = ParsedFeatures()
    let text = #"{"type":"Feature","geometry":\#(geometry),"properties":null}"#
    try? reader.read(Array(text.utf8), into: &parsed)
    try? reader.finish(into: &parsed)
    guard parsed.batch.count == 1 else { return nil }
    return parsed.batch.withRecord(at: 0) {
      [$0.coordinate.longitude, $0.coordinate.latitude] + $0.furtherOrdinates
    }
  }

  private func shape(_ type: String, _ coordinates: String) -> String {
    #"{"type":"\#(type)","coordinates":\#(coordinates)}"#
  }

  private func expect(_ geometry: String, _ longitude: Double, _ latitude: Double) {
    guard let found = centroid(geometry), found.count == 2 else {
      Issue.record("\(geometry) has no centroid")
      return
    }
    #expect(
      abs(found[0] - longitude) < 1e-9 && abs(found[1] - latitude) < 1e-9, "\(geometry) \(found)")
  }

  @Test func `shapes whose centroids are known`() {
    let square = "[[0,0],[4,0],[4,2],[0,2],[0,0]]"
    let turned = "[[0,0],[0,2],[4,2],[4,0],[0,0]]"
    expect(shape("LineString", "[[1,2],[3,6]]"), 2, 4)
    expect(shape("LineString", "[[0,0],[4,0],[4,4,99]]"), 3, 1)
    expect(shape("MultiLineString", "[[[0,0],[4,0]],[[0,10],[4,10]]]"), 2, 5)
    for ring in [square, turned] {
      expect(shape("Polygon", "[\(ring)]"), 2, 1)
      // A hole in the right half, whichever way round.
      for hole in ["[[2,0],[4,0],[4,2],[2,2],[2,0]]", "[[2,0],[2,2],[4,2],[4,0],[2,0]]"] {
        expect(shape("Polygon", "[\(ring),\(hole)]"), 1, 1)
      }
      expect(shape("MultiPolygon", "[[\(ring)],[[[10,0],[14,0],[14,2],[10,2],[10,0]]]]"), 7, 1)
      // Areas outweigh lines, and lines points.
      let line = shape("LineString", "[[100,50],[120,50]]")
      let point = shape("Point", "[-100,-50]")
      expect(
        #"{"type":"GeometryCollection","geometries":[\#(line),\#(shape("Polygon", "[\(ring)]")),\#(point)]}"#,
        2, 1)
      expect(#"{"type":"GeometryCollection","geometries":[\#(line),\#(point)]}"#, 110, 50)
    }
    expect(shape("MultiPoint", "[[1,2],[3,4],[5,9]]"), 3, 5)
    expect(shape("Polygon", "[[[0,0],[4,4],[0,0]]]"), 2, 2)
    expect(shape("Polygon", "[[[5,6],[5,6],[5,6]]]"), 5, 6)
    // Across 180°.
    expect(
      shape(
        "MultiPolygon",
        "[[[[178,-20],[180,-20],[180,-16],[178,-16],[178,-20]]],[[[-180,-20],[-178,-20],[-178,-16],[-180,-16],[-180,-20]]]]"
      ), 180, -18)
    expect(shape("LineString", "[[179,0],[-175,0]]"), -178, 0)
    expect(shape("LineString", "[[-10,0],[20,0]]"), 5, 0)
    // Edges are straight, however far they go.
    func box(_ west: Int, _ south: Int, _ east: Int, _ north: Int) -> String {
      shape(
        "Polygon",
        "[[[\(west),\(south)],[\(east),\(south)],[\(east),\(north)],[\(west),\(north)],[\(west),\(south)]]]"
      )
    }
    expect(box(-180, -90, 180, 90), 0, 0)
    expect(box(-130, 0, 60, 10), -35, 5)
    expect(box(-20, 0, 161, 10), 70.5, 5)
    expect(box(175, 0, -175, 10), 180, 5)
    expect(shape("LineString", "[[-100,10],[100,10]]"), 0, 10)
    // Around a pole, in small steps, and back along it.
    let coast = stride(from: -180, through: 180, by: 10).map { "[\($0),-70]" }
    expect(
      shape("Polygon", "[[\(coast.joined(separator: ",")),[180,-90],[-180,-90],[-180,-70]]]"), 0,
      -80)
    // One point is that point, with its height.
    #expect(centroid(shape("Point", "[1,2,3]")) == [1, 2, 3])
    #expect(centroid(shape("MultiPoint", "[[1,2,3]]")) == [1, 2, 3])
  }

  @Test(arguments: [
    (#"{"type":"Polygon","coordinates":[]}"#), #"{"type":"Polygon","coordinates":[[]]}"#,
    #"{"type":"LineString","coordinates":[]}"#,
    #"{"type":"LineString","coordinates":[1,2]}"#, #"{"type":"LineString","coordinates":[[1]]}"#,
    #"{"type":"LineString","coordinates":[["1",2],[3,4]]}"#,
    #"{"type":"LineString","coordinates":[[411000,5600000],[1,2]]}"#,
    #"{"type":"Polygon","coordinates":[[1,2],[3,4]]}"#, #"{"type":"Polygon"}"#,
    #"{"type":"Circle","coordinates":[1,2]}"#,
    #"{"type":"GeometryCollection","geometries":[]}"#,
    #"{"type":"GeometryCollection","geometries":[1,2]}"#,
    #"{"type":"MultiPolygon","coordinates":[[[[1,2],[3,4],[1,2]]],1]}"#, "{}", "null",
  ])
  func `what has none is refused`(_ geometry: String) { #expect(centroid(geometry) == nil) }

  /// The centroid of a random polygon is the mean of the squares of a fine grid that lie within it.
  @Test(arguments: Seeds.each(1...3))
  func `random polygons`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<6 {
      let (x, y) = (
        Double.random(in: -170...170, using: &random), Double.random(in: -70...70, using: &random)
      )
      let corners = Int.random(in: 3...9, using: &random)
      let ring = (0..<corners).map { corner -> (x: Double, y: Double) in
        let angle = Double(corner) / Double(corners) * 2 * .pi
        let radius = Double.random(in: 2...8, using: &random)
        return (x + radius * cosine(angle), y + radius * cosine(angle - .pi / 2))
      }
      var (sumX, sumY, count) = (0.0, 0.0, 0.0)
      for i in 0..<200 {
        for j in 0..<200 {
          let place = (x: x - 10 + (Double(i) + 0.5) / 10, y: y - 10 + (Double(j) + 0.5) / 10)
          var isInside = false
          for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1))
          where (a.y > place.y) != (b.y > place.y) {
            if place.x < (b.x - a.x) * (place.y - a.y) / (b.y - a.y) + a.x { isInside.toggle() }
          }
          if isInside { (sumX, sumY, count) = (sumX + place.x, sumY + place.y, count + 1) }
        }
      }
      var positions = (ring + ring.prefix(1)).map { "[\($0.x),\($0.y)]" }
      if Bool.random(using: &random) { positions.reverse() }
      let found = centroid(shape("Polygon", "[[\(positions.joined(separator: ","))]]")) ?? [0, 0]
      #expect(
        abs(found[0] - sumX / count) < 0.02 && abs(found[1] - sumY / count) < 0.02, "\(positions)")
    }
  }

  /// The cosine by its series, which needs no library.
  private func cosine(_ angle: Double) -> Double {
    var (term, sum) = (1.0, 1.0)
    for n in 1...20 {
      term *= -angle * angle / Double((2 * n - 1) * (2 * n))
      sum += term
    }
    return sum
  }
}
