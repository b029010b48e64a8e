/// Values of the fields of viewport requests, good and bad ones.
enum FieldSamples {
  /// A value of a field that isn't its default, and other fields beside which it changes the answer.
  struct Good {
    let value: String
    var beside = ""
    /// Whether it changes the answer at all.
    var hasEffect = true
  }

  private static let pins = #""decluster":true,"maxZoomLevelForClustering":1"#

  /// By field. Each is in an answer that its default isn't in, if it has any effect.
  static let good: [String: Good] = [
    "bbox": Good(value: "[-10,-10,20,20]"),
    "visibleMapRect": Good(value: #"{"x":1e8,"y":1e8,"width":5e7,"height":5e7}"#),
    "region": Good(
      value:
        #"{"center":{"latitude":0,"longitude":9},"span":{"latitudeDelta":40,"longitudeDelta":20}}"#),
    "viewportWidth": Good(value: "300"), "zoom": Good(value: "3"),
    "zoomStep": Good(value: "1", beside: #""zoom":2.4"#),
    "clusterer": Good(value: #""cellCenter""#),
    "cellSize": Good(value: "90"),
    "maxZoomLevelForClustering": Good(value: "1"),
    "minUniqueLocationsForClustering": Good(value: "4"),
    "minPoints": Good(value: "4"),
    "groups": Good(value: #"{"1":{"cellSize":90}}"#, beside: #""groupBy":"k""#),
    "keepApart": Good(value: "[3]"),
    "decluster": Good(value: "true", beside: #""maxZoomLevelForClustering":1"#),
    "distanceFromContestedLocation": Good(value: "900", beside: pins),
    "pinLayout": Good(value: #""spiral""#, beside: pins),
    "spreadUnit": Good(value: #""points""#, beside: pins),
    "debug": Good(value: "true"), "marginFactor": Good(value: "0"),
    "wrap": Good(value: "true", beside: #""bbox":[150,-60,-150,60]"#),
    "limit": Good(value: "9999", hasEffect: false),
    "previous": Good(value: "[]"),
    "titleProperty": Good(value: #""name""#),
    "subtitleLimit": Good(value: "1", beside: #""titleProperty":"name""#),
    "members": Good(value: "2"), "properties": Good(value: #""none""#),
    "hull": Good(value: "true"), "expansion": Good(value: "true"),
    "fields": Good(value: #"["id","count"]"#),
    "filter": Good(value: #""k = 1""#),
    "filter-lang": Good(value: #""cql2-text""#, hasEffect: false),
    "filter-crs": Good(
      value: #""http://www.opengis.net/def/crs/OGC/1.3/CRS84""#, hasEffect: false),
    "ids": Good(value: "[1,2,3,4]"), "datetime": Good(value: #""2024-01-01T00:00:00Z/..""#),
    "groupBy": Good(value: #""k""#), "countBy": Good(value: #""k""#),
    "weightBy": Good(value: #""w""#), "aggregate": Good(value: #"{"a":["median","w"]}"#),
    "histogram": Good(value: #"{"property":"w","bins":3}"#),
    "method": Good(value: #""distance""#),
    "epsilon": Good(value: "200", beside: #""method":"distance""#),
    "markerSize": Good(value: "[200,200]", beside: #""method":"collision""#),
    "priorityBy": Good(value: #""w""#, beside: #""method":"collision","markerSize":[90,90]"#),
    "clusterBy": Good(value: #""k""#, beside: #""method":"collision","markerSize":[90,90]"#),
  ]

  /// A bad value as JSON and as query text (nil: a query can't say it), and its status.
  struct Bad: Sendable, CustomStringConvertible {
    var field: String
    var json: String
    var query: String?
    var status: Int
    var description: String { "\(field)=\(json)" }

    init(_ field: String, _ json: String, _ query: String?, _ status: Int) {
      (self.field, self.json, self.query, self.status) = (field, json, query, status)
    }

    /// Of a number, which is written alike in both.
    init(_ field: String, _ number: String, _ status: Int) {
      self.init(field, number, number, status)
    }
  }

  static let bad: [Bad] = [
    Bad("bbox", "[1,2,3]", "1,2,3", 400), Bad("bbox", "\"0,0,1,1\"", "a,0,1,1", 400),
    Bad("bbox", "[0,0,1,1,2,2]", "0,0,1,1,2,2", 400), Bad("bbox", "[0,0,null,1]", "0,0,,1", 400),
    Bad("bbox", "{}", "", 400), Bad("bbox", "[0,0,1,\"1\"]", "0,0,nan,1", 400),
    Bad("bbox", "[0,10,1,9]", "0,10,1,9", 422), Bad("bbox", "[0,-90.1,1,9]", "0,-90.1,1,9", 422),
    Bad("bbox", "[0,0,1,90.5]", "0,0,1,90.5", 422),
    Bad("bbox", "[1e300,0,1,1]", "1e300,0,1,1", 422),
    Bad("visibleMapRect", "[0,0,1,1]", "0,0,1", 400),
    Bad("visibleMapRect", "{\"x\":0,\"y\":0,\"width\":1}", "0,0,1,inf", 400),
    Bad("visibleMapRect", "{\"x\":0,\"y\":0,\"width\":1,\"height\":1,\"z\":0}", "0,0,1,1,1", 400),
    Bad("visibleMapRect", "{\"x\":0,\"x\":0,\"y\":0,\"width\":1,\"height\":1}", nil, 400),
    Bad("visibleMapRect", "{\"x\":0,\"y\":0,\"width\":-1,\"height\":1}", "0,0,-1,1", 422),
    Bad("visibleMapRect", "{\"x\":0,\"y\":1e16,\"width\":1,\"height\":1}", "0,1e16,1,1", 422),
    Bad(
      "region", "{\"center\":{\"latitude\":1},\"span\":{\"latitudeDelta\":1,\"longitudeDelta\":1}}",
      "1,2,3", 400),
    Bad(
      "region", "{\"center\":[1,2],\"span\":{\"latitudeDelta\":1,\"longitudeDelta\":1}}", "a,b,c,d",
      400),
    Bad(
      "region",
      "{\"center\":{\"latitude\":91,\"longitude\":0},\"span\":{\"latitudeDelta\":1,\"longitudeDelta\":1}}",
      "91,0,1,1", 422),
    Bad(
      "region",
      "{\"center\":{\"latitude\":1,\"longitude\":0},\"span\":{\"latitudeDelta\":-1,\"longitudeDelta\":1}}",
      "1,0,-1,1", 422),
    Bad("zoom", "\"3\"", "three", 400), Bad("zoom", "1e999", 400), Bad("zoom", "NaN", 400),
    Bad("zoom", "-0.1", 422),
    Bad("zoom", "24.1", 422), Bad("zoom", "[3]", "0x3", 400),
    Bad("viewportWidth", "0", 422), Bad("viewportWidth", "-5", 422),
    Bad("viewportWidth", "1e300", 422),
    Bad("viewportWidth", "1e-300", 422), Bad("viewportWidth", "true", 400),
    Bad("cellSize", "0.9", 422), Bad("cellSize", "2048.5", 422),
    Bad("cellSize", "\"60\"", "sixty", 400),
    Bad("cellSize", "-1e308", 422), Bad("marginFactor", "-0.1", 422),
    Bad("zoomStep", "0", 422), Bad("zoomStep", "0.0009", 422), Bad("zoomStep", "1.001", 422),
    Bad("zoomStep", "-1", 422), Bad("zoomStep", "\"1\"", "one", 400),
    Bad("zoomStep", "[1]", "", 400),
    Bad("marginFactor", "4.1", 422),
    Bad("marginFactor", "{}", "", 400), Bad("clusterer", "\"middle\"", "middle", 400),
    Bad("clusterer", "\"First\"", "First", 400), Bad("clusterer", "1", 400),
    Bad("maxZoomLevelForClustering", "\"x\"", "x", 400),
    Bad("minUniqueLocationsForClustering", "-1", 422),
    Bad("minUniqueLocationsForClustering", "1.5", 400),
    Bad("minPoints", "-1", 422), Bad("minPoints", "0.5", 400), Bad("minPoints", "1e300", 422),
    Bad("keepApart", "5", nil, 400), Bad("keepApart", "[1.5]", nil, 400),
    Bad("keepApart", "[null]", nil, 400),
    Bad("keepApart", "[9007199254740992]", nil, 422), Bad("keepApart", "[\"\"]", "1,,2", 422),
    Bad("keepApart", "[\"\\u0001\"]", "%01", 422),
    Bad(
      "keepApart", "[\((0...100).map(String.init).joined(separator: ","))]",
      (0...100).map(String.init).joined(separator: ","), 422),
    Bad("decluster", "1", 400), Bad("decluster", "\"true\"", "yes", 400),
    Bad("debug", "\"x\"", "TRUE", 400),
    Bad("distanceFromContestedLocation", "-1", 422),
    Bad("distanceFromContestedLocation", "1000.1", 422),
    Bad("distanceFromContestedLocation", "[]", "x", 400), Bad("titleProperty", "5", nil, 400),
    Bad("subtitleLimit", "-1", 422), Bad("subtitleLimit", "2.5", 400),
    Bad("properties", "5", nil, 400),
    Bad("properties", "[1]", nil, 400), Bad("properties", "\"name\"", nil, 400),
    Bad("properties", "{}", nil, 400),
    Bad(
      "properties", "[\((0...1000).map { "\"p\($0)\"" }.joined(separator: ","))]",
      (0...1000).map { "p\($0)" }.joined(separator: ","), 422),
    Bad("fields", "[\"count\",\"counts \"]", "count,counts%20", 400),
    Bad("fields", "\"count\"", "Count", 400), Bad("fields", "[null]", ",", 400),
    Bad("fields", "{}", "*", 400),
    Bad("members", "101", 422), Bad("members", "-1", 422), Bad("members", "\"2\"", "two", 400),
    Bad("hull", "1", 400), Bad("expansion", "\"true\"", "yes", 400), Bad("wrap", "[]", "1", 400),
    Bad("pinLayout", "\"Spiral\"", "sunflower", 400), Bad("pinLayout", "2", 400),
    Bad("spreadUnit", "\"metres\"", "m", 400), Bad("spreadUnit", "true", 400),
    Bad("limit", "0", 422), Bad("limit", "10001", 422), Bad("limit", "-1", 422),
    Bad("limit", "1.5", 400),
    Bad("limit", "99999999999999999999", 422), Bad("zooom", "3", 400), Bad("Zoom", "3", 400),
  ]
}
