import TestSupport
import Testing

/// Viewport requests that make no sense: the contract's status, and the field named.
@Suite(.timeLimit(.minutes(5))) struct HostileBodyTests {
  @Test func whatIsNotJSON() throws {
    let deep = String(repeating: "[", count: 100_000)
    let texts = [
      "", " ", "{", "}", "nonsense", "{'bbox':1}", "\u{0}", "{\"bbox\":[1,2,3,4],}", "tru",
      "\u{FEFF}{}x",
    ]
    try Attack.run(
      texts.map { .body($0) } + [
        .body("{\"bbox\":[-10,-10,10,10],\"zoom\":3"),
        .body("{\"bbox\":[-10,-10,10,10],\"zoom\":3}x"),
        .body("{\"bbox\":[-10,-10,10,10],\"zoom\":3}{}"),
        .body("[]"), .body("null"), .body("1"), .body("\"text\""),
        .body(deep), .body(deep + String(repeating: "]", count: 100_000)),
        .body(String(repeating: "{\"a\":", count: 100_000)),
        .members("\"region\":" + deep),
        .members("\"titleProperty\":\"\\ud800\""), .members("\"titleProperty\":\"\\x\""),
        .members("\"titleProperty\":\"a\nb\""), .members("\"cellSize\":01"),
        .members("\"cellSize\":NaN", 400, "/cellSize"),
        .members("\"cellSize\":1e999", 400, "/cellSize"),
        .members("\"cellSize\":-1e999", 400, "/cellSize"),
        .members("\"cellSize\":Infinity", 400, "/cellSize"),
        .body("{\"zoom\":1,\"bbox\":[NaN,0,1,1]}", 400, "/bbox"),
        .body("{\"zoom\":1,\"bbox\":[0,0,1e400,1]}", 400, "/bbox"),
        Attack(body: Array("{\"titleProperty\":\"".utf8) + [0xFF, 0xFE, 0x22, 0x7D], status: 400),
        Attack(body: [0xC0, 0x80], status: 400), Attack(body: [0xED, 0xA0, 0x80], status: 400),
      ])
  }

  @Test func missingAndContradictoryFields() throws {
    let rect = "\"visibleMapRect\":{\"x\":0,\"y\":0,\"width\":9,\"height\":9}"
    try Attack.run([
      .body("{}", 400, "/bbox"), .body("{\"zoom\":3}", 400, "/bbox"),
      .body("{\"bbox\":null,\"zoom\":3}", 400, "/bbox"),
      .body("{\"bbox\":[-10,-10,10,10]}", 400, "/zoom"),
      .body("{\"bbox\":[-10,-10,10,10],\"zoom\":null}", 400, "/zoom"),
      .members("\"viewportWidth\":100", 400, "/zoom"), .members(rect, 400, "/visibleMapRect"),
      .members("\"zoom\":3", 400, "/zoom"), .members("\"bbox\":[1,2,3,4]", 400, "/bbox"),
      .members("\"cellsize\":60", 400, "/cellsize"), .members("\"\":1", 400, "/"),
      .members("\"a/b~c\":1", 400, "/a~1b~0c"), .members("\"Zoom\":1", 400, "/Zoom"),
      .members("\"\(String(repeating: "k", count: 50_000))\":1"),
      .body(
        "{\"zoom\":1,\"visibleMapRect\":{\"x\":1,\"y\":1,\"width\":1}}", 400,
        "/visibleMapRect/height"),
      .body(
        "{\"zoom\":1,\"visibleMapRect\":{\"x\":1,\"y\":1,\"width\":1,\"height\":1,\"z\":1}}", 400,
        "/visibleMapRect/z"),
      .body(
        "{\"zoom\":1,\"region\":{\"center\":{\"latitude\":1}}}", 400, "/region/center/longitude"),
      .body(
        "{\"zoom\":1,\"region\":{\"center\":{\"latitude\":1,\"longitude\":1,\"lat\":1},\"span\":{}}}",
        400, "/region/center/lat"),
    ])
  }

  @Test func wrongTypes() throws {
    let wrong: [(String, [String])] = [
      ("cellSize", ["\"60\"", "true", "[]", "{}"]), ("marginFactor", ["\"\"", "[1]"]),
      ("clusterer", ["1", "\"\"", "\"middle\"", "[\"first\"]", "\"centerofmass\""]),
      ("maxZoomLevelForClustering", ["\"5\"", "{}"]),
      ("minUniqueLocationsForClustering", ["1.5", "\"1\"", "true"]), ("minPoints", ["1.5", "[]"]),
      ("keepApart", ["1", "\"1\"", "{}"]), ("decluster", ["1", "\"true\"", "[]"]),
      ("distanceFromContestedLocation", ["\"3\"", "{}"]), ("titleProperty", ["1", "[]"]),
      ("subtitleLimit", ["2.5", "\"a\""]), ("properties", ["1", "\"name\"", "{}"]),
      ("members", ["0.1", "[]"]), ("debug", ["1", "\"yes\""]), ("limit", ["\"10\"", "10.5"]),
    ]
    let attacks: [Attack] = wrong.flatMap { name, values in
      values.map { .members("\"\(name)\":\($0)", 400, "/\(name)") }
    }
    try Attack.run(
      attacks + [
        .body("{\"zoom\":\"3\",\"bbox\":[0,0,1,1]}", 400, "/zoom"),
        .body("{\"viewportWidth\":[],\"bbox\":[0,0,1,1]}", 400, "/viewportWidth"),
        .body("{\"zoom\":3,\"bbox\":\"0,0,1,1\"}", 400, "/bbox"),
        .body("{\"zoom\":3,\"bbox\":[0,0,1]}", 400, "/bbox"),
        .body("{\"zoom\":3,\"bbox\":[0,0,1,1,1,1]}", 400, "/bbox"),
        .body("{\"zoom\":3,\"bbox\":[0,null,1,1]}", 400, "/bbox/1"),
        .body("{\"zoom\":3,\"bbox\":[0,0,\"1\",1]}", 400, "/bbox/2"),
        .body("{\"zoom\":3,\"visibleMapRect\":[0,0,1,1]}", 400, "/visibleMapRect"),
        .body("{\"zoom\":3,\"region\":{\"center\":1,\"span\":1}}", 400, "/region/center"),
        .members("\"keepApart\":[1,1.5]", 400, "/keepApart/1"),
        .members("\"keepApart\":[{}]", 400, "/keepApart/0"),
        .members("\"properties\":[\"a\",1]", 400, "/properties/1"),
      ])
  }

  @Test func outOfRange() throws {
    let wrong: [(String, [String])] = [
      ("cellSize", ["0", "0.99", "2048.01", "-60", "1e308"]), ("marginFactor", ["-0.01", "4.01"]),
      ("minUniqueLocationsForClustering", ["-1", "1e300"]), ("minPoints", ["-1", "1e300"]),
      ("distanceFromContestedLocation", ["-1", "1000.1"]), ("subtitleLimit", ["-1", "1e18"]),
      ("members", ["-1", "101", "1e300"]),
      ("limit", ["0", "10001", "-1", "18446744073709551616"]),
      ("keepApart", ["[" + (1...101).map(String.init).joined(separator: ",") + "]"]),
    ]
    let attacks: [Attack] = wrong.flatMap { name, values in
      values.map { .members("\"\(name)\":\($0)", 422, "/\(name)") }
    }
    try Attack.run(
      attacks + [
        .body("{\"zoom\":24.01,\"bbox\":[0,0,1,1]}", 422, "/zoom"),
        .body("{\"zoom\":-0.01,\"bbox\":[0,0,1,1]}", 422, "/zoom"),
        .body("{\"viewportWidth\":0,\"bbox\":[0,0,1,1]}", 422, "/viewportWidth"),
        .body("{\"viewportWidth\":-1,\"bbox\":[0,0,1,1]}", 422, "/viewportWidth"),
        .body("{\"viewportWidth\":1e300,\"bbox\":[0,0,1,1]}", 422, "/viewportWidth"),
        .body("{\"viewportWidth\":1e-300,\"bbox\":[0,0,1,1]}", 422, "/viewportWidth"),
        .body("{\"viewportWidth\":9,\"bbox\":[0,0,0,1]}", 422),
        .body("{\"zoom\":3,\"bbox\":[0,10,1,-10]}", 422, "/bbox"),
        .body("{\"zoom\":3,\"bbox\":[0,0,1,90.01]}", 422, "/bbox"),
        .body("{\"zoom\":3,\"bbox\":[0,-91,1,0]}", 422, "/bbox"),
        .body("{\"zoom\":3,\"visibleMapRect\":{\"x\":0,\"y\":0,\"width\":-1,\"height\":1}}", 422),
        .body(
          "{\"zoom\":3,\"region\":{\"center\":{\"latitude\":91,\"longitude\":0},"
            + "\"span\":{\"latitudeDelta\":1,\"longitudeDelta\":1}}}", 422),
        .body(
          "{\"zoom\":3,\"region\":{\"center\":{\"latitude\":0,\"longitude\":0},"
            + "\"span\":{\"latitudeDelta\":-1,\"longitudeDelta\":1}}}", 422),
        .body("{\"zoom\":24,\"cellSize\":1,\"bbox\":[-180,-85,180,85]}", 422),
        .body("{\"zoom\":7,\"debug\":true,\"bbox\":[-180,-85,180,85]}", 422, "/debug"),
      ])
  }

  @Test func hugeNumbersAreAnsweredOneWayOrTheOther() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    let numbers = ["1e308", "-1e308", "1e-320", "-0.0", "9007199254740993", "179.99999999999997"]
    let connection = try server.client.connect()
    for a in numbers {
      for b in numbers {
        for rect in [
          "\"bbox\":[\(a),-10,\(b),10]",
          "\"visibleMapRect\":{\"x\":\(a),\"y\":\(b),\"width\":1000,\"height\":1000}",
          "\"visibleMapRect\":{\"x\":0,\"y\":0,\"width\":\(a),\"height\":\(b)}",
          "\"region\":{\"center\":{\"latitude\":0,\"longitude\":\(a)},\"span\":{\"latitudeDelta\":\(b),"
            + "\"longitudeDelta\":1}}",
        ] {
          for scale in ["\"zoom\":3", "\"viewportWidth\":\(b)"] {
            for resource in ["clusters", "pins"] {
              let body = "{\(rect),\(scale)}"
              let answer = try connection.send("POST", "/collections/c/\(resource)", json: body)
              if answer.status == 200 {
                #expect((try? answer.json()) != nil, "\(body): \(answer.text.prefix(300))")
              } else {
                #expect(answer.fault(status: 422) == nil, "\(body)")
              }
            }
          }
        }
      }
    }
    server.expectHealthy()
  }
}
