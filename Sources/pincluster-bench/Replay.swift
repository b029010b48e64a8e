import HTTPServer

/// Sends a fixed set of requests in process on one thread, so that callgrind can count the instructions of
/// each kind: a row's are those between two calls of ``measurementMark()``.
struct Replay {
  /// Requests whose instructions are counted together.
  private struct Row {
    var name: String
    /// Requests that are sent first and not counted.
    var before: [HTTPRequest] = []
    var requests: [HTTPRequest]
  }

  private let service: InProcess

  /// Opens a data directory that holds the cities as the collection `c`.
  init(directory: String) throws { service = try InProcess(directory: directory) }

  /// Prints the name and the number of requests of each row.
  func run() throws {
    for row in try rows() {
      for request in row.before { try service.answer(request) }
      measurementMark()
      for request in row.requests { try service.answer(request) }
      measurementMark()
      print("\(row.name)\t\(row.requests.count)")
    }
  }

  private func rows() throws -> [Row] {
    try viewRows + tileRows + fieldRows() + annotationRows() + featureRows + dearRows
  }

  /// Panned requests of a region with further parameters.
  private func panned(
    _ view: PhoneView, _ count: Int, seed: UInt64, ownGrid: Bool = false, _ more: String = ""
  ) -> [HTTPRequest] {
    var synthetic = Synthetic(seed: seed)
    return (0..<count).map { _ in
      HTTPRequest(view.request(&synthetic, ownGrid: ownGrid) + more)
    }
  }

  private var viewRows: [Row] {
    PhoneView.all.flatMap { view in
      [
        Row(name: "\(view.name), new grids", requests: panned(view, 20, seed: 1, ownGrid: true)),
        Row(
          name: "\(view.name), panned", before: panned(view, 40, seed: 2),
          requests: panned(view, 20, seed: 3)),
      ]
    } + [
      Row(
        name: "world, new grids",
        requests: (27...33).map { HTTPRequest(ViewBenchmark.world("c", side: $0)) }),
      Row(
        name: "world, again",
        // The second time, they are cached.
        before: (27...33).map { HTTPRequest(ViewBenchmark.world("c", side: $0)) },
        requests: (27...33).map { HTTPRequest(ViewBenchmark.world("c", side: $0)) }),
    ]
  }

  private var tileRows: [Row] {
    let places = [(3, 4, 2), (5, 17, 10), (6, 33, 21), (8, 137, 83), (10, 550, 335)]
    func tiles(_ more: String) -> [HTTPRequest] {
      places.map { HTTPRequest("/collections/c/tiles/\($0)/\($1)/\($2)?v=1\(more)") }
    }
    let again = (0..<10).flatMap { _ in tiles("") }
    return [
      Row(name: "tiles, new", requests: tiles("&properties=name,country,population,timezone")),
      Row(name: "tiles, again", before: tiles(""), requests: again),
    ]
  }

  /// Requests with further fields, beside the panned region of Europe or Berlin.
  private func fieldRows() throws -> [Row] {
    let (berlin, europe) = (PhoneView.all[0], PhoneView.all[1])
    func fields(_ name: String, _ view: PhoneView, _ more: String) -> Row {
      Row(
        name: name, before: panned(view, 4, seed: 4, more),
        requests: panned(view, 10, seed: 5, more))
    }
    let body = #"{"bbox":[5,47,16,55],"viewportWidth":400,"properties":["name"],"keepApart":[17]}"#
    let previous = try service.answer(HTTPRequest("/collections/c/clusters", body)).body
    let list = previous[...].firstIndex(of: "\"annotations\":").map {
      String(decoding: previous[($0 + 14)..<(previous.count - 1)], as: UTF8.self)
    }
    let moved =
      #"{"bbox":[5.5,47.2,16.5,55.2],"viewportWidth":400,"previous":\#(list ?? "[]")}"#
    return [
      fields("as GeoJSON", europe, "&f=geojson"),
      fields("titles", europe, "&titleProperty=name"),
      fields("filter, again", europe, "&filter=population%3E%3D100000"),
      Row(
        name: "filter, new each",
        requests: (0..<10).map {
          HTTPRequest(
            "/collections/c/clusters?\(berlin.bbox)&viewportWidth=375"
              + "&filter=population%3E%3D\(20_000 + $0)")
        }),
      fields("groups", europe, "&groupBy=country"),
      fields("statistics", europe, "&countBy=country&weightBy=population"),
      fields("declustered", berlin, "&decluster=true&maxZoomLevelForClustering=5"),
      fields("distance", berlin, "&method=distance"),
      fields("collision", berlin, "&method=collision"),
      Row(
        name: "POST",
        requests: [HTTPRequest](
          repeating: HTTPRequest("/collections/c/clusters", body), count: 10)),
      Row(
        name: "POST with previous",
        requests: [HTTPRequest](
          repeating: HTTPRequest("/collections/c/clusters", moved), count: 5)),
    ]
  }

  /// Requests that follow an answer: not modified, and drilling into a cluster.
  private func annotationRows() throws -> [Row] {
    let view = "/collections/c/clusters?\(PhoneView.all[1].bbox)&viewportWidth=375"
    let answer = try service.answer(HTTPRequest(view))
    let tag = [(name: "If-None-Match", value: "\"\(answer.etag ?? "")\"")]
    let body = answer.body[...]
    guard let start = body.firstIndex(of: "\"id\":\"") else { return [] }
    let id = String(
      decoding: body[(start + 6)...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    func same(_ name: String, _ target: String, _ headers: [(name: String, value: String)] = [])
      -> Row
    {
      let request = HTTPRequest(target, headers: headers)
      return Row(name: name, requests: [HTTPRequest](repeating: request, count: 50))
    }
    return [
      same("not modified", view, tag),
      same("a cluster", "/collections/c/clusters/\(id)"),
      same("its items", "/collections/c/clusters/\(id)/items?limit=20"),
      same("its children", "/collections/c/clusters/\(id)/children"),
    ]
  }

  /// Requests that take long to read: fields of a head in their dearest forms, and filters of many conditions. They come
  /// last, as writes carry on what filters have read.
  private var dearRows: [Row] {
    let view = "/collections/c/clusters?\(PhoneView.all[0].bbox)&viewportWidth=375"
    let member = String(repeating: "a", count: 900)
    let list = Array(repeating: member, count: 63).joined(separator: ",")
    let marks = "a" + String(repeating: "\u{301}", count: 29_000)
    let names = ["Accept-Encoding", "If-None-Match", "Authorization", "Origin", "Cookie"]
    let values = [list, marks, "\"\(marks)\""]
    let heads =
      values.map { ("Accept", "*/*,\($0)") } + names.flatMap { name in values.map { (name, $0) } }
    func filters(_ count: Int) -> [HTTPRequest] {
      let texts = (0..<count).map { "'text%20\($0)'" }.joined(separator: ",")
      let others = (0..<min(count, 999)).map { "population%3C\($0)" }.joined(separator: "%20OR%20")
      return ["name%20IN%20(\(texts))", others].map { HTTPRequest("\(view)&filter=\($0)") }
    }
    return [
      Row(
        name: "heads of 60 kB",
        requests: heads.map { HTTPRequest(view, headers: [(name: $0.0, value: $0.1)]) }),
      Row(name: "filters of 2 kB", before: filters(1), requests: filters(70)),
      Row(name: "filters of 50 kB", before: filters(1), requests: filters(3000)),
    ]
  }

  /// Features, and writes.
  private var featureRows: [Row] {
    func feature(_ id: Int) -> String {
      #"{"type":"Feature","id":\#(id),"geometry":{"type":"Point","coordinates":[13.4,52.\#(id)]},"#
        + #""properties":{"name":"Somebody","population":1}}"#
    }
    let batch = (0..<500).map { feature(1000 + $0) }.joined(separator: ",")
    let items = "/collections/c/items"
    return [
      Row(
        name: "pins",
        requests: (0..<10).map {
          HTTPRequest("/collections/c/pins?bbox=13.\($0),52.4,13.\($0)9,52.6")
        }),
      Row(
        name: "items",
        requests: (0..<10).map {
          HTTPRequest("\(items)?bbox=5,47,16,55&limit=100&offset=\($0 * 100)")
        }),
      Row(name: "an item", requests: (1...20).map { HTTPRequest("\(items)/\($0)") }),
      Row(
        name: "PUT of an item",
        requests: (1...20).map { HTTPRequest("\(items)/\($0)", feature($0), method: .put) }),
      Row(
        name: "POST of 500 items",
        requests: [HTTPRequest(items, #"{"type":"FeatureCollection","features":[\#(batch)]}"#)]),
    ]
  }
}

/// Where callgrind writes its counts and starts over. Not optimized, so that the function remains.
@inline(never) @_optimize(none)
func measurementMark() {}
