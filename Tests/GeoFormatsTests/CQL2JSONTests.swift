import ClusterCore
import TestSupport
import Testing

@testable import GeoFormats

/// CQL2 JSON, and examples of the standard (OGC 21-065r2) of the classes that are claimed, in both forms.
@Suite(.timeLimit(.minutes(5))) struct CQL2JSONTests {
  private func parsed(_ json: String) throws -> FilterExpression {
    let json = try JSONParser().parse(Array(json.utf8))
    _ = try CQL2.normal(json)
    return try CQL2.read(json)
  }

  /// Text, and the same as JSON.
  static let examples: [(text: String, json: String)] = [
    (
      "avg(windSpeed) < 4",
      #"{"op":"<","args":[{"op":"avg","args":[{"property":"windSpeed"}]},4]}"#
    ),
    (
      "city='Toronto'", #"{"op":"=","args":[{"property":"city"},"Toronto"]}"#
    ),
    (
      "balance - 150.0 > 0",
      #"{"op":">","args":[{"op":"-","args":[{"property":"balance"},150.0]},0]}"#
    ),
    (
      "updated >= DATE('1999-11-05')",
      #"{"op":">=","args":[{"property":"updated"},{"date":"1999-11-05"}]}"#
    ),
    (
      "name LIKE 'Smith%'", #"{"op":"like","args":[{"property":"name"},"Smith%"]}"#
    ),
    (
      "depth BETWEEN 100.0 and 150.0",
      #"{"op":"between","args":[{"property":"depth"},100.0,150.0]}"#
    ),
    (
      "cityName IN ('Toronto','Frankfurt','Tokyo','New York')",
      #"{"op":"in","args":[{"property":"cityName"},["Toronto","Frankfurt","Tokyo","New York"]]}"#
    ),
    (
      "category NOT IN (1,2,3,4)",
      #"{"op":"not","args":[{"op":"in","args":[{"property":"category"},[1,2,3,4]]}]}"#
    ),
    (
      "geophys:surveyed IS NOT NULL",
      #"{"op":"not","args":[{"op":"isNull","args":[{"property":"geophys:surveyed"}]}]}"#
    ),
    (
      "CASEI(road_class) IN (CASEI('Οδος'),CASEI('Straße'))",
      #"{"op":"in","args":[{"op":"casei","args":[{"property":"road_class"}]},[{"op":"casei","args":["Οδος"]},{"op":"casei","args":["Straße"]}]]}"#
    ),
    (
      "CASEI(name) LIKE CASEI('Müller%')",
      #"{"op":"like","args":[{"op":"casei","args":[{"property":"name"}]},{"op":"casei","args":["Müller%"]}]}"#
    ),
    (
      "ACCENTI(etat_vol) = ACCENTI('débárquér')",
      #"{"op":"=","args":[{"op":"accenti","args":[{"property":"etat_vol"}]},{"op":"accenti","args":["débárquér"]}]}"#
    ),
    (
      "ACCENTI(CASEI(name)) LIKE accenti(casei('Chiș%'))",
      #"{"op":"like","args":[{"op":"accenti","args":[{"op":"casei","args":[{"property":"name"}]}]},{"op":"accenti","args":[{"op":"casei","args":["Chiș%"]}]}]}"#
    ),
    (
      "S_INTERSECTS(geometry,POINT(36.319836 32.288087))",
      #"{"op":"s_intersects","args":[{"property":"geometry"},{"type":"Point","coordinates":[36.319836,32.288087]}]}"#
    ),
    (
      "S_INTERSECTS(geom,BBOX(-118,33.8,-117.9,34.0))",
      #"{"op":"s_intersects","args":[{"property":"geom"},{"bbox":[-118,33.8,-117.9,34.0]}]}"#
    ),
    (
      "S_INTERSECTS(geom,POLYGON((0 0,10 0,10 10,0 10,0 0),(2 2,2 4,4 4,2 2)))",
      #"{"op":"s_intersects","args":[{"property":"geom"},{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[2,2],[2,4],[4,4],[2,2]]]}]}"#
    ),
    (
      "S_DISJOINT(LINESTRING(-43.7 -21.5,-40.5 -19.2),geom)",
      #"{"op":"s_disjoint","args":[{"type":"LineString","coordinates":[[-43.7,-21.5],[-40.5,-19.2]]},{"property":"geom"}]}"#
    ),
    (
      "S_DWITHIN(geometry,POINT(-7.5 51),1500.5)",
      #"{"op":"s_dwithin","args":[{"property":"geometry"},{"type":"Point","coordinates":[-7.5,51]},1500.5]}"#
    ),
    (
      "S_DWITHIN(POINT(180 -90),geom,0)",
      #"{"op":"s_dwithin","args":[{"type":"Point","coordinates":[180,-90]},{"property":"geom"},0]}"#
    ),
    (
      "S_INTERSECTS(geom,MULTIPOINT((1 2),(3 -4)))",
      #"{"op":"s_intersects","args":[{"property":"geom"},{"type":"MultiPoint","coordinates":[[1,2],[3,-4]]}]}"#
    ),
    (
      "S_INTERSECTS(geom,MULTILINESTRING((1 2,3 4),(5 6,7 8,9 9)))",
      #"{"op":"s_intersects","args":[{"property":"geom"},{"type":"MultiLineString","coordinates":[[[1,2],[3,4]],[[5,6],[7,8],[9,9]]]}]}"#
    ),
    (
      "S_INTERSECTS(geom,MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((2 2,3 2,3 3,2 2))))",
      #"{"op":"s_intersects","args":[{"property":"geom"},{"type":"MultiPolygon","coordinates":[[[[0,0],[1,0],[1,1],[0,0]]],[[[2,2],[3,2],[3,3],[2,2]]]]}]}"#
    ),
    (
      "S_INTERSECTS(geom,GEOMETRYCOLLECTION(POINT(1.9 2.0),LINESTRING Z (1 2 3,4 5 6)))",
      #"{"op":"s_intersects","args":[{"property":"geom"},{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1.9,2.0]},{"type":"LineString","coordinates":[[1,2,3],[4,5,6]]}]}]}"#
    ),
    (
      "T_AFTER(built,DATE('2012-06-05'))",
      #"{"op":"t_after","args":[{"property":"built"},{"date":"2012-06-05"}]}"#
    ),
    (
      "T_DURING(INTERVAL(starts_at,ends_at),INTERVAL('2005-01-10','2010-02-10'))",
      #"{"op":"t_during","args":[{"interval":[{"property":"starts_at"},{"property":"ends_at"}]},{"interval":["2005-01-10","2010-02-10"]}]}"#
    ),
    (
      "T_FINISHEDBY(INTERVAL(a,b),INTERVAL('1991-10-07T08:21:06.393Z','2010-02-10T05:29:20.073Z'))",
      #"{"op":"t_finishedBy","args":[{"interval":[{"property":"a"},{"property":"b"}]},{"interval":["1991-10-07T08:21:06.393Z","2010-02-10T05:29:20.073Z"]}]}"#
    ),
    (
      "T_INTERSECTS(updated,INTERVAL('..','2005-01-10T01:01:01.393216Z'))",
      #"{"op":"t_intersects","args":[{"property":"updated"},{"interval":["..","2005-01-10T01:01:01.393216Z"]}]}"#
    ),
    (
      "T_MEETS(INTERVAL(a,'..'),TIMESTAMP('2005-01-10T00:00:00Z'))",
      #"{"op":"t_meets","args":[{"interval":[{"property":"a"},".."]},{"timestamp":"2005-01-10T00:00:00Z"}]}"#
    ),
    (
      "NOT (floors < 5) OR swimming_pool=true AND material <> 'wood'",
      #"{"op":"or","args":[{"op":"not","args":[{"op":"<","args":[{"property":"floors"},5]}]},{"op":"and","args":[{"op":"=","args":[{"property":"swimming_pool"},true]},{"op":"<>","args":[{"property":"material"},"wood"]}]}]}"#
    ),
    (
      "vehicle_height > (bridge_clearance - 1)*2^3 DIV 4 % 5",
      #"{"op":">","args":[{"property":"vehicle_height"},{"op":"%","args":[{"op":"div","args":[{"op":"*","args":[{"op":"-","args":[{"property":"bridge_clearance"},1]},{"op":"^","args":[2,3]}]},4]},5]}]}"#
    ),
    ("-a < 1", #"{"op":"<","args":[{"op":"*","args":[-1,{"property":"a"}]},1]}"#),
    ("a -1 = 2", #"{"op":"=","args":[{"op":"-","args":[{"property":"a"},1]},2]}"#),
    ("FALSE", "false"),
  ]

  @Test(arguments: examples.dropFirst())
  func `text and JSON are the same expression`(text: String, json: String) throws {
    #expect(try CQL2.parse(text) == parsed(json))
  }

  @Test func `functions that aren't there are refused in both forms`() {
    #expect(throws: CQL2Error.self) { try CQL2.parse(Self.examples[0].text) }
    #expect(throws: CQL2Error.self) { try parsed(Self.examples[0].json) }
  }

  /// JSON, where it is wrong, and a part of what is said.
  @Test(
    arguments: [
      ("5", "", "a condition is"), ("{}", "", "a condition is"), ("null", "", "a condition is"),
      (#"{"op":5,"args":[]}"#, "/op", "a string"), (#"{"op":"="}"#, "/args", "an array"),
      (#"{"op":"=","args":[1]}"#, "/args", "2 arguments"),
      (#"{"op":"and","args":[true]}"#, "/args", "two or more"),
      (#"{"op":"not","args":[5]}"#, "/args/0", "a condition is"),
      (#"{"op":"=","args":[{"property":"a"},null]}"#, "/args/1", "isNull"),
      (#"{"op":"=","args":[{"property":"a"},{"date":"2020"}]}"#, "/args/1/date", "a date such as"),
      (#"{"op":"=","args":[{"x":"a"},1]}"#, "/args/0", "a value is"),
      (#"{"op":"in","args":[{"property":"a"},[]]}"#, "/args/1", "one or more"),
      (#"{"op":"like","args":[{"property":"a"},5]}"#, "/args/1", "a string"),
      (#"{"op":"=","args":[{"op":"now","args":[]},1]}"#, "/args/0/op", "not a function"),
      (#"{"op":"s_touches","args":[]}"#, "/op", "not an operator"),
      (#"{"op":"iLike","args":[{"property":"a"},"b%"]}"#, "/op", "is CASEI(name) LIKE CASEI("),
      (
        #"{"op":"s_intersects","args":[{"property":"a"},{"bbox":[1,2,3,4]}]}"#, "/args/0/property",
        "geometry"
      ),
      (
        #"{"op":"s_intersects","args":[{"bbox":[1,2,3]},{"property":"geom"}]}"#, "/args/0/bbox",
        "four or six"
      ),
      (
        #"{"op":"s_intersects","args":[{"property":"geom"},{"type":"Point","coordinates":[1]}]}"#,
        "/args/1/coordinates", "a longitude"
      ),
      (
        #"{"op":"s_dwithin","args":[{"property":"geom"},{"bbox":[1,2,3,4]},5]}"#, "/args", "a Point"
      ),
      (
        #"{"op":"s_dwithin","args":[{"property":"geom"},{"type":"Point","coordinates":[1,2]},"5"]}"#,
        "/args/2", "metres"
      ),
      (#"{"op":"s_dwithin","args":[{"property":"geom"},5]}"#, "/args", "3 arguments"),
      (
        #"{"op":"t_after","args":[{"property":"a"},{"interval":["x",".."]}]}"#,
        "/args/1/interval/0",
        "an end of an interval"
      ),
    ] as [(String, String, String)])
  func errors(_ json: String, _ pointer: String, _ part: String) {
    do {
      Issue.record("\(json) is \(try parsed(json))")
    } catch CQL2Error.json(let place, let detail) {
      #expect(place == pointer && detail.contains(part), "\(json): at \(place): \(detail)")
    } catch {
      Issue.record("\(json): \(error)")
    }
  }

  /// What is well-formed but too much or impossible, in text.
  @Test(
    arguments: [
      "S_INTERSECTS(geometry, POLYGON((0 0, 8 8, 8 0, 0 8, 0 0)))",
      "S_INTERSECTS(geometry, POLYGON((0 0, 8 8, 8 0)))", "S_INTERSECTS(geometry, POINT(181 0))",
      "S_INTERSECTS(geometry, BBOX(0, 1, 2, 0))", "S_INTERSECTS(geometry, LINESTRING(1 1))",
      "T_AFTER(a, INTERVAL('2020-01-02', '2020-01-01'))", "S_DWITHIN(geometry, POINT(1 1), -1)",
      "S_DWITHIN(geometry, POINT(1 91), 5)",
      "a = " + String(repeating: "1+", count: 101) + "1",
      String(repeating: "CASEI(", count: 101) + "a" + String(repeating: ")", count: 101) + " = 'x'",
    ])
  func impossible(_ text: String) {
    do throws(CQL2Error) {
      Issue.record("\(text) is \(try CQL2.parse(text))")
    } catch {
      switch error {
      case .impossible, .tooLarge, .tooDeep: break
      case .syntax, .json: Issue.record("\(text): \(error)")
      }
    }
  }

  /// What is malformed, in text.
  @Test(
    arguments: [
      "S_INTERSECTS(geometry, POLYGON((0 0, NaN 8, 8 0, 0 0)))", "S_INTERSECTS(geometry, POINT(1))",
      "S_INTERSECTS(geometry, POINT(1e999 1))", "S_INTERSECTS(place, POINT(1 1))",
      "S_INTERSECTS(POINT(1 1), POINT(1 1))", "S_INTERSECTS(geometry, BBOX(1, 2, 3))",
      "S_INTERSECTS(geometry)", "S_DWITHIN(geometry, POINT(1 1))",
      "S_DWITHIN(geometry, BBOX(1, 1, 2, 2), 5)", "S_DWITHIN(geometry, geometry, 5)",
      "S_DWITHIN(POINT(1 1), POINT(2 2), 5)", "S_DWITHIN(geometry, POINT(1 1), a)",
      "S_DWITHIN(geometry, POINT(1 1), 5, 'm')", "POINT(1 1) = 5", "INTERVAL('..','..') = a",
      "T_AFTER(a, 5)", "T_AFTER(a, DATE('1000000000-01-01'))", "a > TIMESTAMP('2020-01-01')",
      "a = DATE('2020-02-30')", "T_AFTER(a, INTERVAL('..'))", "(a = 1) + 1 = 2", "CASEI(a)",
      "(a + 1)", "a + (b = 1) = 2", "S_INTERSECTS(geometry, GEOMETRYCOLLECTION(BBOX(1,2,3,4)))",
      "a ^ 2 ^ 3 = 1",
    ])
  func malformed(_ text: String) {
    do throws(CQL2Error) {
      Issue.record("\(text) is \(try CQL2.parse(text))")
    } catch {
      if case .syntax = error { return }
      Issue.record("\(text): \(error)")
    }
  }
}
