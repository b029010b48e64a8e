import Glibc
import HTTPServer

/// Measures viewports of the whole world in about 900 cells, in process and encoded: new ones, repeated
/// ones, and beside what encoding alone takes.
struct WorldBenchmark {
  private static let sides = 27...33
  private let service: InProcess

  /// Opens a data directory that holds a large collection.
  init(directory: String) throws { service = try InProcess(directory: directory) }

  /// The target of the world in a grid of `side` cells a row.
  static func target(_ collection: String, side: Int, cellSize: Double = 60) -> String {
    let zoom = (log2(Double(side) * cellSize / 256) * 1000).rounded(.up) / 1000
    return "/collections/\(collection)/clusters?bbox=-180,-85.06,180,85.06&zoom=\(zoom)"
      + "&cellSize=\(cellSize)&marginFactor=0&properties=none"
  }

  func run() throws {
    // So that the first grid is not also the first request.
    _ = try service.body(WorldBenchmark.target("c", side: 20))
    let first = try WorldBenchmark.sides.map { try time("c", side: $0, rounds: 1) }
    let again = try WorldBenchmark.sides.map { try time("c", side: $0, rounds: 21) }
    row(
      "world in 729 to 1,089 cells, a new grid, worst of 7", duration(first.max() ?? 0),
      "median \(duration(first.median))")
    let side = 30
    let annotations = try copyCells(side: side)
    _ = try time("bench-cells", side: side, rounds: 3)
    // The closest to encoding alone is clustering a collection of two features a cell, cached or new,
    // whichever is faster.
    let encoded = min(
      try time("bench-cells", side: side, rounds: 21),
      try (1...21).map {
        try time("bench-cells", side: side, cellSize: 60 + Double($0) / 1000, rounds: 1)
      }.median)
    let cached = again[side - WorldBenchmark.sides.lowerBound]
    row(
      "the same again, worst of 7", duration(again.max() ?? 0),
      "in 900 cells \(duration(cached)); encoding its \(annotations) annotations "
        + "\(duration(encoded)): \(rounded(cached / encoded)) times")
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

  /// Makes a collection with two features for each cluster of the large one and one for each single feature,
  /// so that the same viewport of it looks almost the same. Returns the number of annotations.
  private func copyCells(side: Int) throws -> Int {
    let answer = try service.body(WorldBenchmark.target("c", side: side))
    var corners: [String] = []
    var annotations = 0
    var start = answer.startIndex
    while let next = answer.firstIndex(of: "\"bbox\":[", from: start) {
      start = next + 1
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
    else {
      throw InProcess.Failure(description: "\(found) of \(corners.count) features were found")
    }
    return annotations
  }
}
