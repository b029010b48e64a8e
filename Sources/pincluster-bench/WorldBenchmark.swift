import Glibc
import HTTPServer

/// Views of the whole world in about 900 cells, in process and printed: for the first time, again, and
/// beside what printing alone takes.
struct WorldBenchmark {
  private static let sides = 27...33
  private let service: InProcess

  /// Over a data directory that holds a large collection.
  init(directory: String) throws { service = try InProcess(directory: directory) }

  /// The world in a grid of so many cells a row.
  static func target(_ collection: String, side: Int, cellSize: Double = 60) -> String {
    let zoom = (log2(Double(side) * cellSize / 256) * 1000).rounded(.up) / 1000
    return "/collections/\(collection)/clusters?bbox=-180,-85.06,180,85.06&zoom=\(zoom)"
      + "&cellSize=\(cellSize)&marginFactor=0&properties=none"
  }

  func run() throws {
    // So that the first grid isn't the first request as well.
    _ = try service.body(WorldBenchmark.target("c", side: 20))
    let first = try WorldBenchmark.sides.map { try time("c", side: $0, rounds: 1) }
    let again = try WorldBenchmark.sides.map { try time("c", side: $0, rounds: 21) }
    row(
      "world in 729 to 1,089 cells, a new grid, worst of 7", duration(first.max() ?? 0),
      "median \(duration(first.median))")
    let side = 30
    let annotations = try copyCells(side: side)
    _ = try time("bench-cells", side: side, rounds: 3)
    // Nothing can print it without having it: a collection of two features a cell is next to that.
    // If what remembers is slower than to cluster these, then clustering counts.
    let printed = min(
      try time("bench-cells", side: side, rounds: 21),
      try (1...21).map {
        try time("bench-cells", side: side, cellSize: 60 + Double($0) / 1000, rounds: 1)
      }.median)
    let remembered = again[side - WorldBenchmark.sides.lowerBound]
    row(
      "the same again, worst of 7", duration(again.max() ?? 0),
      "in 900 cells \(duration(remembered)); printing its \(annotations) annotations "
        + "\(duration(printed)): \(rounded(remembered / printed)) times")
    try service.answer(HTTPRequest("/collections/bench-cells", method: .delete))
  }

  private func time(
    _ collection: String, side: Int, cellSize: Double = 60, rounds: Int
  ) throws -> Double {
    let request = HTTPRequest(
      WorldBenchmark.target(collection, side: side, cellSize: cellSize))
    var times: [Double] = []
    for _ in 0..<rounds {
      let begin = wallTime()
      try service.answer(request)
      times.append(wallTime() - begin)
    }
    return times.median
  }

  /// Makes a collection that has two features where the large one has a cluster, and one where there is
  /// one, so that the same view of it looks almost the same. Returns how many annotations there are.
  private func copyCells(side: Int) throws -> Int {
    let answer = try service.body(WorldBenchmark.target("c", side: side))
    var corners: [String] = []
    var annotations = 0
    var place = answer.startIndex
    while let next = answer.firstOrdinal(of: "\"bbox\":[", from: place) {
      place = next + 1
      annotations += 1
      let edges = answer[(next + 8)...].prefix { $0 != UInt8(ascii: "]") }
        .split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
      corners.append("\(edges[0]),\(edges[1])")
      if edges[0] != edges[2] || edges[1] != edges[3] { corners.append("\(edges[2]),\(edges[3])") }
    }
    let features = corners.map {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#($0)]},"properties":null}"#
    }
    try service.answer(
      HTTPRequest(
        "/collections/bench-cells/items",
        #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#))
    let copy = try service.body(WorldBenchmark.target("bench-cells", side: side))
    let found = copy.sum(of: "\"count\":")
    guard found == corners.count,
      answer.sum(of: "\"count\":") == answer.sum(of: "\"featureCount\":")
    else { throw InProcess.Failure(description: "\(found) features of \(corners.count) are there") }
    return annotations
  }
}
