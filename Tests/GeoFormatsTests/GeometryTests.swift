import ClusterCore
import GeoFormats
import TestSupport
import Testing

/// Geometries other than Points: which are one point, and what the others are called.
@Suite(.timeLimit(.minutes(5))) struct GeometryTests {
  private func feature(_ geometry: String) -> String {
    #"{"type":"Feature","geometry":\#(geometry),"properties":{"n":"a"}}"#
  }

  private func multiPoint(_ positions: String) -> String {
    #"{"type":"MultiPoint","coordinates":[\#(positions)]}"#
  }

  private func gathered(_ geometries: String) -> String {
    #"{"geometries":[\#(geometries)],"type":"GeometryCollection"}"#
  }

  private func point(_ position: String) -> String {
    #"{"type":"Point","coordinates":\#(position)}"#
  }

  @Test func `what holds exactly one point is that point, bit for bit`() {
    let ordinates = ["[13.388860123456789,52.51703700000001]", "[-0.1,1e-7,34.25,-1]"]
    for position in ordinates {
      let plain = read(feature(point(position)), .geoJSON)
      #expect(plain.features.count == 1)
      var nested = multiPoint(position)
      for _ in 0..<300 { nested = gathered(nested) }
      for geometry in [
        multiPoint(position), gathered(point(position)), gathered(multiPoint(position)),
        gathered(gathered(point(position))), nested,
      ] {
        #expect(read(feature(geometry), .geoJSON) == plain)
        #expect(read(feature(geometry), .geoJSONSequence) == plain)
        #expect(read(collection(feature(geometry)), .geoJSON) == plain)
      }
    }
  }

  @Test func `what isn't one point is named`() {
    let mend = "; ogr2ogr -explodecollections makes a feature of each"
    let one = point("[1,2]")
    let line = #"{"type":"LineString","coordinates":[[1,2],[3,4]]}"#
    let inner = "/geometry/geometries/0"
    for (geometry, detail) in [
      (multiPoint("[1,2],[3,4]"), "/geometry is a MultiPoint of 2 points, not of one" + mend),
      (multiPoint(""), "/geometry is a MultiPoint of 0 points, not of one" + mend),
      (multiPoint("[1]"), "/geometry/coordinates/0 has fewer than two numbers"),
      (multiPoint("1"), "/geometry/coordinates/0 is not an array"),
      (multiPoint("[1,\"2\"]"), "/geometry/coordinates/0/1 is not a number"),
      (multiPoint("[200,2]"), "longitude 200.0 is beyond ±180"),
      (#"{"type":"MultiPoint"}"#, "/geometry/coordinates is not an array"),
      (#"{"type":"GeometryCollection","geometries":{}}"#, "/geometry/geometries is not an array"),
      (
        gathered(one + "," + one),
        "/geometry is a GeometryCollection of 2 geometries, not of one" + mend
      ),
      (gathered(""), "/geometry is a GeometryCollection of 0 geometries, not of one" + mend),
      (
        gathered(multiPoint("[1,2],[3,4]")),
        inner + " is a MultiPoint of 2 points, not of one" + mend
      ),
      (gathered("1"), inner + " is not an object"),
      (gathered("{}"), inner + "/type is missing, or not a string"),
      (#"{"type":"Circle"}"#, #"/geometry is a "Circle", which is no geometry of GeoJSON"#),
      (#"{"type":"point"}"#, #"/geometry is a "point", which is no geometry of GeoJSON"#),
      ("{}", "/geometry/type is missing, or not a string"),
      (#"{"type":1}"#, "/geometry/type is missing, or not a string"),
    ] {
      #expect(read(feature(geometry), .geoJSONSequence).problems.map(\.detail) == [detail])
    }
    for name in ["LineString", "MultiLineString", "Polygon", "MultiPolygon"] {
      let geometry = #"{"type":"\#(name)","coordinates":[[[[1,2],[3,4],[5,6],[1,2]]]]}"#
      for (text, place) in [(geometry, "/geometry"), (gathered(geometry), inner)] {
        let detail = read(feature(text), .geoJSONSequence).problems.first?.detail ?? ""
        #expect(detail.hasPrefix("\(place) is a \(name), "), "\(detail)")
        #expect(detail.contains("ogr2ogr") && detail.contains("ST_Centroid"), "\(detail)")
      }
    }
    #expect(read(feature(gathered(line)), .geoJSONSequence).rejected == 1)
  }

  @Test(arguments: [
    (#"{"type":"Point","coordinates":[1,2]}"#, "a Point without a Feature"),
    (#"{"type":"MultiPolygon"}"#, "a MultiPolygon without a Feature"),
    (#"{"type":"Topology","objects":{}}"#, "TopoJSON"),
    (#"{"geometryType":"esriGeometryPoint","features":[{"attributes":{}}]}"#, "Esri"),
    (#"{"spatialReference":{"wkid":4326},"features":[]}"#, "Esri"), (#"{"a":1}"#, "neither"),
  ])
  func `a document of another kind is named`(_ json: String, _ word: String) {
    guard case .notFeatures("/type", let detail)? = read(json, .geoJSON).error else {
      Issue.record("\(json) is read")
      return
    }
    #expect(detail.contains(word), "\(detail)")
  }
}
