import Glibc

/// Measures viewports of a collection at rest and while its features move, and checks that every answer has
/// each feature in exactly one cell.
struct LiveBenchmark {
  private let fleet: LiveFleet
  private let reader: LiveConnection
  private let seconds: Double
  private static let rate = 2000
  private static let connections = 16

  /// Connects to the service on a port that holds the sample of `count` places in a collection.
  init(port: UInt16, collection: String, count: Int, seconds: Double) throws {
    fleet = LiveFleet(
      port: port, collection: collection, places: SamplePlace.places(count, seed: 3))
    reader = try LiveConnection(port: port)
    self.seconds = seconds
  }

  func run() throws {
    var synthetic = Synthetic(seed: 6)
    _ = try reader.ask("POST", fleet.items, fleet.pond(&synthetic))
    var still = Views(expecting: nil)
    try still.take(from: reader, fleet, for: seconds / 4)
    let updates = try LiveUpdates(
      fleet, rate: Double(LiveBenchmark.rate), connections: LiveBenchmark.connections)
    var moving = Views(expecting: still.counts)
    let begin = wallTime()
    updates.start()
    try moving.take(from: reader, fleet, for: seconds)
    let took = wallTime() - begin
    let answered = updates.times.count
    try updates.stop()
    try check(updates)

    let (idle, loaded) = (still.times.sorted(), moving.times.sorted())
    row(
      "a view while nothing moves, median", duration(idle.percentile(50)),
      "99 %: \(duration(idle.percentile(99)))")
    row(
      "a view under the updates, median", duration(loaded.percentile(50)),
      "99 %: \(duration(loaded.percentile(99))); \(rounded(loaded.percentile(50) / idle.percentile(50))) times as long"
    )
    let times = updates.times.sorted()
    row(
      "updates a second, of \(LiveBenchmark.rate) over \(LiveBenchmark.connections) connections",
      "\(Int(Double(answered) / took))",
      "answered in \(duration(times.percentile(50))), 99 %: \(duration(times.percentile(99)))")
    row(
      "views in which each feature is in one cell", "all \(moving.checked)",
      "at \(moving.versions) versions")
  }

  /// Checks that the last acknowledged updates are stored.
  private func check(_ updates: LiveUpdates) throws {
    for (number, text) in updates.acknowledged.sorted(by: { $0.key > $1.key }).prefix(500) {
      let found = try reader.ask("GET", fleet.path(number))
      guard found.body.elementsEqual(text) else {
        throw LiveConnection.Failure(
          description: "\(fleet.path(number)) is not what was acknowledged")
      }
    }
  }

  /// Viewports requested one after another, at most 200 a second: their times and counts.
  private struct Views {
    var times: [Double] = []
    /// The numbers of features in the world and the pond; nil before they are known.
    var counts: [String: Int]?
    var checked = 0
    var versions = 0
    private var version = 0

    init(expecting counts: [String: Int]?) { self.counts = counts }

    mutating func take(
      from reader: LiveConnection, _ fleet: LiveFleet, for seconds: Double
    ) throws {
      var synthetic = Synthetic(seed: 8)
      let end = wallTime() + seconds
      var round = 0
      while wallTime() < end || checked == 0 {
        round += 1
        let path = "/collections/\(fleet.collection)/clusters?"
        let view = fleet.view(&synthetic)
        let begin = wallTime()
        let answer = try reader.ask("GET", path + view)
        times.append(wallTime() - begin)
        try check(answer, view)
        if round % 10 == 0 { try look(reader, path + LiveFleet.pondView) }
        if round % 50 == 0 {
          try look(reader, path + "bbox=-180,-90,180,90&zoom=2&properties=none")
        }
        usleep(useconds_t(max(0, 0.005 - (wallTime() - begin)) * 1e6))
      }
    }

    /// Checks a viewport whose number of features does not change when features move.
    private mutating func look(_ reader: LiveConnection, _ path: String) throws {
      let count = try check(try reader.ask("GET", path), path)
      guard counts?[path] ?? count == count else {
        throw LiveConnection.Failure(
          description: "\(path) counts \(count) features, not \(counts?[path] ?? 0)")
      }
      counts = (counts ?? [:]).merging([path: count]) { _, new in new }
      checked += 1
    }

    /// The number of features of an answer, which must be the sum of its cells.
    @discardableResult
    private mutating func check(_ answer: LiveConnection.Answer, _ path: String) throws -> Int {
      let body = answer.body
      let (count, sum) = (body.sum(of: "\"featureCount\":"), body.sum(of: "\"count\":"))
      let now = body.sum(of: "\"version\":")
      guard count == sum, now >= version else {
        throw LiveConnection.Failure(
          description:
            "\(path): \(sum) features in cells of \(count), version \(now) after \(version)"
        )
      }
      if now > version { versions += 1 }
      version = now
      return count
    }
  }
}
