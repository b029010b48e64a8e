import ClusterCore
import Glibc
import Threading

/// Measures viewports of a collection at rest and while its features move, and checks that every answer has
/// each feature in exactly one cell.
struct LiveBenchmark {
  /// A collection with the sample that ``SamplePlace`` printed.
  private struct Fleet: Sendable {
    let port: UInt16
    let path: String
    let places: [SamplePlace]

    func item(_ number: Int) -> String { "\(path)/items/\(number + 1)" }
  }

  private let fleet: Fleet
  private let reader: Connection
  private let seconds: Double
  private static let rate = 2000

  /// Connects to the service on a port that holds the sample of `count` places in a collection.
  init(port: UInt16, collection: String, count: Int, seconds: Double) throws {
    fleet = Fleet(
      port: port, path: "/collections/\(collection)", places: SamplePlace.places(count, seed: 3))
    reader = try Connection(port: port)
    self.seconds = seconds
  }

  func run() throws {
    var still = Views(of: fleet)
    try still.take(from: reader, for: seconds / 4)
    let isOver = Locked(false)
    let result = Locked<Result<Updates, any Error>?>(nil)
    var moving = Views(of: fleet)
    let begin = wallTime()
    let thread = SystemThread { [fleet] in
      let updates = Result { try Updates(fleet) { isOver.withLock { $0 } } }
      result.withLock { $0 = updates }
    }
    try ensure(thread != nil, "no thread can be had")
    try moving.take(from: reader, for: seconds)
    isOver.withLock { $0 = true }
    thread?.join()
    let took = wallTime() - begin
    guard let updates = try result.withLock({ $0 })?.get() else { return }
    for (number, text) in updates.acknowledged.prefix(500) {
      try ensure(
        try reader.ask("GET", fleet.item(number)).body.elementsEqual(text),
        "\(fleet.item(number)) is not what was acknowledged")
    }

    row("a view while nothing moves", still.times)
    row(
      "a view under the updates", moving.times,
      "\(rounded(moving.times.median / still.times.median)) times as long")
    row(
      "updates a second, of \(LiveBenchmark.rate) over 16 connections",
      "\(Int(Double(updates.times.count) / took))",
      "answered in \(duration(updates.times.median)), 99 %: "
        + duration(updates.times.percentile(99)))
    row(
      "views in which each feature is in one cell", "all \(moving.times.count + moving.checked)",
      "at \(moving.versions) versions")
  }

  /// Updates of single features, each of which moves a little, at a steady rate.
  private struct Updates {
    /// The last acknowledged update of each feature by its number, as GeoJSON.
    private(set) var acknowledged: [Int: [UInt8]] = [:]
    /// The seconds from sending each update to its answer.
    let times: [Double]

    /// Updates features until it is over.
    init(_ fleet: Fleet, isOver: () -> Bool) throws {
      let places = fleet.places
      var load = try SteadyLoad(
        port: fleet.port, rate: Double(LiveBenchmark.rate), isPunctual: false)
      var synthetic = Synthetic(seed: 7)
      // The updates in flight by the number of their connection.
      var sent: [Int: (number: Int, text: [UInt8])] = [:]
      var acknowledged: [Int: [UInt8]] = [:]
      try load.run { slot in
        if isOver() { return nil }
        var number: Int
        repeat {
          number = Int(synthetic.uniform() * Double(places.count))
        } while sent.values.contains { $0.number == number }
        var place = places[number]
        let (x, y) = (synthetic.uniform() - 0.5, synthetic.uniform() - 0.5)
        place.coordinate.latitude = min(90, max(-90, place.coordinate.latitude + y * 0.1))
        place.coordinate.longitude = Geodesy.normalisedLongitude(
          place.coordinate.longitude + x * 0.1)
        let text = Array(try place.feature.utf8)
        sent[slot] = (number, text)
        return SteadyLoad.Request(method: "PUT", path: fleet.item(number), body: text)
      } answered: { slot in
        if let update = sent.removeValue(forKey: slot) { acknowledged[update.number] = update.text }
      }
      (times, self.acknowledged) = (load.times, acknowledged)
    }
  }

  /// Viewports requested one after another, at most 200 a second.
  private struct Views {
    private let fleet: Fleet
    private(set) var times: [Double] = []
    private(set) var checked = 0
    private(set) var versions = 0
    private var version = 0

    init(of fleet: Fleet) { self.fleet = fleet }

    mutating func take(from reader: Connection, for seconds: Double) throws {
      var synthetic = Synthetic(seed: 8)
      let end = wallTime() + seconds
      let path = fleet.path + "/clusters?"
      while wallTime() < end || checked == 0 {
        let view = path + phone(&synthetic)
        let begin = wallTime()
        let answer = try reader.ask("GET", view)
        times.append(wallTime() - begin)
        try check(answer, view)
        if times.count % 20 == 0 {
          let world = path + "bbox=-180,-90,180,90&zoom=\(2 + times.count / 20 % 3)&properties=none"
          let found = try check(try reader.ask("GET", world), world)
          try ensure(found == fleet.places.count, "\(world) counts only \(found) features")
          checked += 1
        }
        usleep(useconds_t(max(0, 0.005 - (wallTime() - begin)) * 1e6))
      }
    }

    /// The query of a phone's viewport around a random place, from continents to streets.
    private func phone(_ synthetic: inout Synthetic) -> String {
      let places = fleet.places
      let centre = places[Int(synthetic.uniform() * Double(places.count))].coordinate
      let width = 90 / Double(1 << Int(synthetic.uniform() * 13))
      let height = min(width * 1.5, 80)
      let south = max(-85, min(85 - height, centre.latitude - height / 2))
      let west = centre.longitude - width / 2
      return "bbox=\(west),\(south),\(west + width),\(south + height)&viewportWidth=375"
    }

    /// The number of features of an answer, which must be the sum of its cells.
    @discardableResult
    private mutating func check(_ answer: Connection.Answer, _ path: String) throws -> Int {
      let body = answer.body
      let (count, sum) = (body.sum(of: "\"featureCount\":"), body.sum(of: "\"count\":"))
      let now = body.sum(of: "\"version\":")
      try ensure(
        count == sum && now >= version,
        "\(path): \(sum) features in cells of \(count), version \(now) after \(version)")
      if now > version { versions += 1 }
      version = now
      return count
    }
  }
}
