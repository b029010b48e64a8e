import ClusterCore
import GeoFormats
import HTTPServer

/// Measures filters that nobody has asked for before beside plain views of the same rectangles, in process and
/// encoded, over the features of ``TimedPlaces``.
struct FilterBenchmark {
  private let service: InProcess
  private let count: Int
  private var synthetic = Synthetic(seed: 14)

  /// Opens a data directory that holds them as the collection `c`, with ids from 1 on.
  init(directory: String, count: Int) throws {
    service = try InProcess(directory: directory)
    self.count = count
  }

  /// - Parameter onlyWindows: leaves out polygons and surveys.
  mutating func run(onlyWindows: Bool) throws {
    if !onlyWindows { try polygons() }
    try columns()
    try windows()
    try numbers()
    try histograms()
    if !onlyWindows { try surveys() }
  }

  // MARK: Polygons

  private mutating func polygons() throws {
    for (name, radius) in [("district", 0.15), ("country", 4.0), ("continent", 25.0)] {
      try polygon("polygon of 100 corners, a \(name)", radius: radius) { $0.filter }
    }
    try polygon("  in one of 4 degrees, out of another", radius: 4) { polygon, synthetic in
      let other = RandomPolygon(
        around: polygon.corners[0], radius: 2, corners: 100, &synthetic)
      return "\(polygon.filter) AND NOT \(other.filter)"
    }
    try polygon("  of 1,000 corners, 4 degrees", radius: 4, corners: 1000) { $0.filter }
    _ = try service.body(view("-1,-1,1,1", filter: "country='DE'"))
    try polygon("  of 4 degrees, and country='DE'", radius: 4) {
      "\($0.filter) AND country='DE'"
    }
  }

  private mutating func polygon(
    _ name: String, radius: Double, corners: Int = 100,
    _ filter: (RandomPolygon) -> String
  ) throws {
    try polygon(name, radius: radius, corners: corners) { polygon, _ in filter(polygon) }
  }

  private mutating func polygon(
    _ name: String, radius: Double, corners: Int = 100,
    _ filter: (RandomPolygon, inout Synthetic) -> String
  ) throws {
    var (times, plain, ratios): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<31 {
      let id = 1 + Int(synthetic.uniform() * Double(count))
      let centre = try service.coordinate(of: id)
      let polygon = RandomPolygon(
        around: centre, radius: radius * (0.7 + 0.6 * synthetic.uniform()), corners: corners,
        &synthetic)
      let (bare, asked) = (
        view(polygon.bbox), view(polygon.bbox, filter: filter(polygon, &synthetic))
      )
      plain.append(try seconds { try service.answer(HTTPRequest(bare)) })
      times.append(try seconds { try service.answer(HTTPRequest(asked)) })
      ratios.append((times.last ?? 0) / (plain.last ?? 1))
    }
    row(
      name, duration(times.median),
      "\(rounded(ratios.median)) times the plain view, \(duration(plain.median)); 90 %: "
        + "\(rounded(ratios.sorted().percentile(90))) times")
  }

  /// A view on a grid of its own.
  private mutating func view(_ bbox: String, filter: String? = nil, _ more: String = "") -> String {
    let cell = 59.5 + (synthetic.uniform() * 10_000).rounded() / 10_000
    let filter = filter.map { "&filter=" + $0.percentEncoded } ?? ""
    return "/collections/c/clusters?bbox=\(bbox)&viewportWidth=800&cellSize=\(cell)\(filter)\(more)"
  }

  // MARK: Times and numbers

  /// The first reading of columns.
  private mutating func columns() throws {
    for (name, temporal) in [
      ("seen", #"{"property":"seen"}"#), ("surveyed", #"{"property":"surveyed"}"#),
      ("opens and closes", #"{"start":"opens","end":"closes"}"#),
    ] {
      let time = try took { try set(temporal) }
      row(
        "read times on first use: \(name)", duration(time.wall), "processor \(duration(time.busy))")
    }
    let time = try took { _ = try service.body(view("-1,-1,1,1", filter: "population>1")) }
    row("read numbers on first use", duration(time.wall), "processor \(duration(time.busy))")
  }

  private func set(_ temporal: String) throws {
    try service.answer(
      HTTPRequest("/collections/c", #"{"temporal":\#(temporal)}"#, method: .put))
  }

  private mutating func windows() throws {
    for (name, temporal) in [
      ("times unlike places", #"{"property":"seen"}"#),
      ("times like places", #"{"property":"surveyed"}"#),
      ("from a start to an end", #"{"start":"opens","end":"closes"}"#),
    ] {
      try set(temporal)
      for share in [0.01, 0.3] {
        try compare("\(name), \(Int(share * 100)) % of ten years") { synthetic in
          let from = TimedPlaces.start + TimedPlaces.length * synthetic.uniform() * (1 - share)
          let to = from + TimedPlaces.length * share
          return "&datetime=\(DateTime.text(Int64(from)))/\(DateTime.text(Int64(to)))"
        }
      }
    }
  }

  private mutating func numbers() throws {
    try compare("a number, a new bound each time") { synthetic in
      "&filter=population%3E\(20_000 + Int(synthetic.uniform() * 50_000))"
    }
    try compare("a number and a string") { synthetic in
      "&filter=population%3E\(20_000 + Int(synthetic.uniform() * 50_000))%20AND%20country='US'"
    }
  }

  /// Measures views with something that is new each time, of the world and of cities, and the world once more.
  private mutating func compare(
    _ name: String, _ more: (inout Synthetic) -> String
  ) throws {
    let world = "-180,-85,180,85"
    var (first, again, cities, plain): ([Took], [Took], [Took], [Took]) = ([], [], [], [])
    for _ in 0..<9 {
      let more = more(&synthetic)
      let (one, other, bare) = (view(world, more), view(world, more), view(world))
      first.append(try took { try service.answer(HTTPRequest(one)) })
      again.append(try took { try service.answer(HTTPRequest(other)) })
      plain.append(try took { try service.answer(HTTPRequest(bare)) })
    }
    for _ in 0..<31 {
      let centre = try service.coordinate(of: 1 + Int(synthetic.uniform() * Double(count)))
      let box = [
        centre.longitude - 0.3, centre.latitude - 0.3, centre.longitude + 0.3,
        centre.latitude + 0.3,
      ].map { "\($0)" }.joined(separator: ",")
      let city = view(box, more(&synthetic))
      cities.append(try took { try service.answer(HTTPRequest(city)) })
    }
    func text(_ all: [Took]) -> String {
      "\(duration(all.map(\.wall).median)) (processor \(duration(all.map(\.busy).median)))"
    }
    row(name, text(first), "again \(text(again)); plain \(text(plain)); a city \(text(cities))")
  }

  private mutating func view(_ bbox: String, _ more: String) -> String {
    view(bbox, filter: nil, more)
  }

  // MARK: Histograms and surveys

  private mutating func histograms() throws {
    try set(#"{"property":"seen"}"#)
    for property in ["seen", "population"] {
      var times: [Took] = []
      for _ in 0..<5 {
        let histogram = #"{"property":"\#(property)","bins":100}"#
        let target = view("-180,-85,180,85", "&histogram=" + histogram.percentEncoded)
        times.append(try took { try service.answer(HTTPRequest(target)) })
      }
      row(
        "histogram of \(property), the world", duration(times.map(\.wall).median),
        "processor \(duration(times.map(\.busy).median))")
    }
  }

  private func surveys() throws {
    let first = try took { _ = try service.body("/collections/c/queryables") }
    row("queryables, the first time", duration(first.wall), "processor \(duration(first.busy))")
    try service.answer(
      HTTPRequest(
        "/collections/c/items/1",
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,1]},"properties":{"new":1}}"#,
        method: .put))
    let second = try took { _ = try service.body("/collections/c/queryables") }
    row("queryables after a write", duration(second.wall), "processor \(duration(second.busy))")
  }
}

extension String {
  /// The text as a part of a query.
  fileprivate var percentEncoded: String {
    utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte) || "-._~(),".utf8.contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }
}
