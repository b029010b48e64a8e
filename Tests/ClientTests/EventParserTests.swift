import Foundation
import TestSupport
import Testing

@testable import PinclusterClient

/// Reading events and writing queries.
@Suite(.timeLimit(.minutes(1))) struct EventParserTests {
  @Test func `events are the same however their bytes come`() {
    let text =
      "\u{FEFF}: hello\n\nevent: view\nid: 7\ndata: {\"a\":\ndata: 1}\n\nid: 8\r\ndata:é\r\n\r\n"
      + "event: x\n\nevent: cells\rdata: ü\r\rdata\n\nid\ndata: end\n\n: alive\n\ndata: cut"
    let wanted = [
      EventParser.Event(name: "view", id: "7", data: "{\"a\":\n1}"),
      EventParser.Event(name: "message", id: "8", data: "é"),
      EventParser.Event(name: "cells", id: "8", data: "ü"),
      EventParser.Event(name: "message", id: "8", data: ""),
      EventParser.Event(name: "message", id: "", data: "end"),
    ]
    var generator = SeededGenerator(seed: 382)
    let bytes = Data(text.utf8)
    for round in 0..<50 {
      var parser = EventParser()
      var (events, start) = ([] as [EventParser.Event], 0)
      while start < bytes.count {
        let end = min(start + (round == 0 ? 1 : generator.int(1...20)), bytes.count)
        events += parser.take(bytes[start..<end])
        start = end
      }
      #expect(events == wanted)
    }
  }

  @Test func `a query says what a body says`() throws {
    var request = ViewRequest(
      .region(
        Region(
          center: Coordinate(latitude: 1, longitude: -2.5), latitudeDelta: 3, longitudeDelta: 4)),
      .viewportWidth(390))
    request.keepApart = [1, "b"]
    request.properties = .names(["a&b", "ü"])
    request.markerSize = [40, 30.5]
    request.groups = ["k": ViewRequest.Group()]
    (request.filter, request.debug) = ("a = 'x/y'", true)
    let items = Dictionary(
      uniqueKeysWithValues: try Query(request).items.map { ($0.name, $0.value) })
    #expect(
      items == [
        "region": "1,-2.5,3,4", "viewportWidth": "390", "keepApart": "1,b", "properties": "a&b,ü",
        "markerSize": "40,30.5", "groups": #"{"k":{}}"#, "filter": "a = 'x/y'", "debug": "true",
      ])
    #expect(Query.escaped("a&b=ü %/+") == "a%26b%3D%C3%BC%20%25%2F%2B")
  }

  @Test func `hulls survive a round`() throws {
    for text in [
      #"{"type":"Point","coordinates":[1,2]}"#,
      #"{"type":"LineString","coordinates":[[1,2],[181.5,4]]}"#,
      #"{"type":"Polygon","coordinates":[[[1,2],[3,2],[3,4],[1,2]]]}"#,
    ] {
      let hull = try JSONDecoder().decode(Hull.self, from: Data(text.utf8))
      let again = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(hull))
      #expect(again == (try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))))
    }
  }
}
