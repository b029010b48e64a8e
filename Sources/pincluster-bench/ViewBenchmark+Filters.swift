import ClusterCore
import GeoFormats
import HTTPServer
import Texts

/// Filters that nobody has asked for before, over the features of ``Cities/printTimes()``.
extension ViewBenchmark {
  mutating func filters() throws {
    try polygons()
    for (name, temporal) in temporals {
      let time = try timing { try set(temporal) }
      row(
        "read times on first use: \(name)", duration(time.wall), "processor \(duration(time.busy))")
    }
    try first("read numbers on first use", "population>1")
    try windows()
    try compare("a number, a new bound each time") { synthetic in
      "&filter=population%3E\(20_000 + Int(synthetic.uniform() * 50_000))"
    }
    try histograms()
    try surveys()
  }

  // MARK: Polygons

  private mutating func polygons() throws {
    for (name, radius) in [("district", 0.15), ("country", 4.0), ("continent", 25.0)] {
      try polygon("polygon of 100 corners, a \(name)", radius: radius) { $0.filter }
    }
    var other = Synthetic(seed: 15)
    try polygon("  in one of 4 degrees, out of another", radius: 4) {
      let hole = RandomPolygon(around: $0.corners[0], radius: 2, corners: 100, &other)
      return "\($0.filter) AND NOT \(hole.filter)"
    }
    try polygon("  of 1,000 corners, 4 degrees", radius: 4, corners: 1000) { $0.filter }
  }

  private mutating func polygon(
    _ name: String, radius: Double, corners: Int = 100, _ filter: (RandomPolygon) -> String
  ) throws {
    var (times, plain, ratios): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<31 {
      let centre = try service.coordinate(of: 1 + Int(synthetic.uniform() * Double(count)))
      let polygon = RandomPolygon(
        around: centre, radius: radius * (0.7 + 0.6 * synthetic.uniform()), corners: corners,
        &synthetic)
      let rect = "bbox=\(polygon.bbox)&viewportWidth=800"
      let (bare, asked) = (
        view(rect), view(rect, "&filter=" + PercentCoding.encode(filter(polygon)))
      )
      let (one, other) = (
        try seconds { try service.answer(HTTPRequest(bare)) },
        try seconds { try service.answer(HTTPRequest(asked)) }
      )
      plain.append(one)
      times.append(other)
      ratios.append(other / one)
    }
    row(
      name, duration(times.median),
      "\(rounded(ratios.median)) times the plain view, \(duration(plain.median)); 90 %: "
        + "\(rounded(ratios.percentile(90))) times")
  }

  // MARK: Times

  private var temporals: [(name: String, temporal: String)] {
    [
      ("unlike places", #"{"property":"seen"}"#), ("like places", #"{"property":"surveyed"}"#),
      ("from a start to an end", #"{"start":"opens","end":"closes"}"#),
    ]
  }

  private func set(_ temporal: String) throws {
    try service.answer(
      HTTPRequest("/collections/c", #"{"temporal":\#(temporal)}"#, method: .put))
  }

  private mutating func windows() throws {
    for (name, temporal) in temporals {
      try set(temporal)
      for share in [0.01, 0.3] {
        try compare("times \(name), \(Int(share * 100)) % of ten years") { synthetic in
          let from = Cities.start + Cities.length * synthetic.uniform() * (1 - share)
          let to = from + Cities.length * share
          return "&datetime=\(DateTime.text(Int64(from)))/\(DateTime.text(Int64(to)))"
        }
      }
    }
  }

  // MARK: Histograms and surveys

  private mutating func histograms() throws {
    try set(temporals[0].temporal)
    for property in ["seen", "population"] {
      let histogram = PercentCoding.encode(#"{"property":"\#(property)","bins":100}"#)
      let times = try (0..<5).map { _ in
        let target = view("bbox=-180,-85,180,85&viewportWidth=800", "&histogram=" + histogram)
        return try seconds { try service.answer(HTTPRequest(target)) }
      }
      row("histogram of \(property), the world", duration(times.median))
    }
  }

  private func surveys() throws {
    let first = try timing { _ = try service.body("/collections/c/queryables") }
    row("queryables, the first time", duration(first.wall), "processor \(duration(first.busy))")
    try service.answer(
      HTTPRequest(
        "/collections/c/items/1",
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,1]},"properties":{"new":1}}"#,
        method: .put))
    let second = try timing { _ = try service.body("/collections/c/queryables") }
    row("queryables after a write", duration(second.wall), "processor \(duration(second.busy))")
  }
}
