import Glibc
import TestSupport
import Testing

/// Costly reads keep nobody waiting, and end when nobody waits for them.
@Suite(.timeLimit(.minutes(5))) struct LongWorkTests {
  private static let world = "bbox=-180,-80,180,80"

  private static func server(_ arguments: [String] = []) throws -> ServerProcess {
    var generator = SeededGenerator(seed: 95)
    let features = TwinFeature.cities(20_000, towns: 2000, using: &generator)
    return try ServerProcess.holding(features, in: "c", arguments: ["--threads", "1"] + arguments)
  }

  private static func request(_ path: String) -> [UInt8] {
    Array("GET /collections/c/\(path) HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
  }

  /// A filter for which 31 columns must be read, and that differs from others. All features pass.
  private static func heavyFilter(_ number: Int) -> String {
    let conditions = (0..<31).map { "p\($0)_\(number)=\($0)" }.joined(separator: "%20OR%20")
    return "&filter=\(conditions)%20OR%20population%3E1"
  }

  /// A view with such a filter.
  private static func heavy(_ number: Int) -> String {
    "clusters?\(world)&zoom=3&countBy=name" + heavyFilter(number)
  }

  /// A view whose filter compares all names with 32 patterns, for which the estimate is far too low.
  private static func misjudged(_ number: Int) -> String {
    let patterns = (0..<32).map { "name%20LIKE%20'%25_\(number)_%25z\($0)'" }
    return "clusters?\(world)&zoom=3&filter=" + patterns.joined(separator: "%20OR%20")
  }

  /// The processor time of the server so far, in seconds.
  private static func processorTime(_ server: ServerProcess) throws -> Double {
    let stat = String(
      decoding: try Fixtures.bytes(path: "/proc/\(server.process.pid)/stat"), as: UTF8.self)
    let fields = stat.split(separator: ")").last.map { $0.split(separator: " ") } ?? []
    return (Double(fields[11]) ?? 0) / 100 + (Double(fields[12]) ?? 0) / 100
  }

  /// Each takes longer than quick work may, in any build, for its filter: quick requests of one address are answered in the
  /// order in which they come.
  @Test(arguments: [
    "clusters?\(world)&zoom=6.2&members=100",
    "clusters?\(world)&zoom=6.3&members=100&debug=false&f=geojson",
    "items?limit=10000&sortby=name,-population",
    "clusters?\(world)&zoom=6.5&members=100&titleProperty=name&subtitleLimit=100",
  ])
  func `a small answer doesn't wait for large ones on the same loop`(path: String) throws {
    // Where others keep this process waiting between two of its requests, the large ones may have been answered before the
    // last is sent. If they had to be, they would be each time.
    var counts: [Int] = []
    while counts.count < 5, counts.last.map({ $0 >= 64 }) ?? true {
      counts.append(try LongWorkTests.answered(beside: path))
    }
    #expect(counts.contains { $0 < 64 }, "\(counts) answered")
  }

  /// The number of requests that had been answered by the time a small one was, which was sent after 64 large ones.
  private static func answered(beside path: String) throws -> Int {
    let server = try LongWorkTests.server()
    // So much that it takes far longer than a small answer, even if that is given up on the loop once, as it may be in a
    // build that is slow, and waits for a turn among the others of its address.
    let large = try (0..<64).map { _ in try server.client.connect() }
    for (number, connection) in large.enumerated() {
      try connection.write(LongWorkTests.request(path + LongWorkTests.heavyFilter(number)))
    }
    // All of them have been read before this one is.
    let small = try server.client.get("/collections/c/clusters?bbox=1,2,3,4&zoom=9")
    #expect(small.status == 200)
    let metrics = try server.client.get("/metrics").text
    let answered = metrics.matches(
      of: /requests_total\{method="GET",route="[^"]*",status="200"\} (\d+)/)
    // They are left unread: reading them one by one may be slower than clients may be.
    withExtendedLifetime(large) {}
    server.expectHealthy()
    // The readiness, and the small one; and those large ones that were quick.
    return answered.reduce(0) { $0 + (Int($1.1) ?? 0) }
  }

  /// The numbers of requests for clusters that were answered, by status.
  private static func answers(_ server: ServerProcess) throws -> [Int: Int] {
    let lines = try server.client.get("/metrics").text.matches(
      of: /requests_total\{method="GET",route="[^"]*\/clusters",status="(\d+)"\} (\d+)/)
    return Dictionary(uniqueKeysWithValues: lines.map { (Int($0.1) ?? 0, Int($0.2) ?? 0) })
  }

  @Test func `clients that leave take their work with them`() throws {
    let server = try LongWorkTests.server()
    // It takes up to a second until the service notices.
    do {
      let crowd = try (1...96).map { _ in try server.client.connect() }
      for (number, connection) in crowd.enumerated() {
        try connection.write(LongWorkTests.request(LongWorkTests.heavy(number)))
      }
    }
    // It is busy as long as its processor time grows.
    var (last, now) = (-1.0, try LongWorkTests.processorTime(server))
    while now - last > 0.05 {
      usleep(1_500_000)
      (last, now) = (now, try LongWorkTests.processorTime(server))
    }
    let answers = try LongWorkTests.answers(server)
    #expect(answers[200, default: 0] < 72, "\(answers)")
    #expect(answers[499, default: 0] > 0, "\(answers)")
    server.expectHealthy()
  }

  @Test func `those who leave early keep nobody from long work, and leave nothing behind`() throws {
    var generator = SeededGenerator(seed: 96)
    let features = TwinFeature.cities(4000, towns: 500, using: &generator)
    let server = try ServerProcess.holding(features, in: "c")
    do {
      let crowd = try (1...24).map { _ in try server.client.connect(from: 2) }
      for (number, connection) in crowd.enumerated() {
        try connection.write(LongWorkTests.request(LongWorkTests.misjudged(number)))
      }
      sleep(2)
    }
    let own = try server.client.connect()
    try own.write(LongWorkTests.request(LongWorkTests.heavy(1)))
    #expect(try own.receive().status == 200)
    // Nobody waits and nobody works any more: all have been answered, most of them to nobody.
    let areAnswered = try eventually {
      try LongWorkTests.answers(server).values.reduce(0, +) == 25
    }
    #expect(areAnswered)
    #expect(server.terminate() == 0)
  }

  @Test func `work that takes too long is answered 503`() throws {
    let server = try LongWorkTests.server(["--request-timeout", "1"])
    let crowd = try (1...40).map { _ in try server.client.connect() }
    for (number, connection) in crowd.enumerated() {
      try connection.write(LongWorkTests.request(LongWorkTests.heavy(number)))
    }
    let answers = try crowd.map { try $0.receive() }
    let late = answers.filter { $0.status == 503 }
    #expect(!late.isEmpty && answers.allSatisfy { [200, 503].contains($0.status) })
    #expect(late.allSatisfy { $0.fault(status: 503) == nil && $0.header("Retry-After") == "1" })
    #expect(try server.client.get("/metrics").text.contains("reason=\"time\"} \(late.count)"))
    server.expectHealthy()
  }
}
