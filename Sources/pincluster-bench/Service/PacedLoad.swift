import Glibc

/// Sends requests at a steady rate, however slow the answers are, from one thread over a few connections.
/// The time of a request begins when it is due, and so includes waiting for a free connection.
struct PacedLoad {
  private let requests: [String]
  private let interval: Double
  private let end: Double
  private var slots: [(connection: LiveConnection, due: Double?)]
  private var times: [Double] = []

  /// Reads the requests from a file. They are sent to 127.0.0.1 for `seconds`, none twice.
  init(port: UInt16, requests path: String, rate: Double, seconds: Double) throws {
    requests = try InputFile.lines(path)
    interval = 1 / rate
    end = min(seconds, Double(requests.count) * interval)
    slots = try (0..<16).map { _ in (try LiveConnection(port: port), nil) }
  }

  /// Sends the requests, and prints the answers per second and their median and 99th percentile in
  /// microseconds.
  mutating func run() throws {
    let begin = wallTime()
    var sent = 0
    while true {
      let now = wallTime() - begin
      while Double(sent) * interval <= now, Double(sent) * interval < end,
        let free = slots.firstIndex(where: { $0.due == nil })
      {
        try slots[free].connection.send("GET", requests[sent])
        slots[free].due = begin + Double(sent) * interval
        sent += 1
      }
      if Double(sent) * interval >= end, slots.allSatisfy({ $0.due == nil }) { break }
      try take()
    }
    let took = wallTime() - begin
    let sorted = times.sorted()
    print(
      Int(Double(times.count) / took), Int(sorted.percentile(50) * 1e6),
      Int(sorted.percentile(99) * 1e6))
  }

  /// Takes answers that have arrived. Yields instead of sleeping, which would wake up late.
  private mutating func take() throws {
    var polled = slots.map {
      pollfd(fd: $0.connection.socket, events: $0.due == nil ? 0 : Int16(POLLIN), revents: 0)
    }
    guard poll(&polled, nfds_t(polled.count), 0) > 0 else {
      sched_yield()
      return
    }
    for slot in polled.indices where polled[slot].revents != 0 {
      guard let answer = try slots[slot].connection.receive(), let due = slots[slot].due else {
        continue
      }
      guard answer.status == 200 else {
        throw LiveConnection.Failure(description: String(decoding: answer.body, as: UTF8.self))
      }
      times.append(wallTime() - due)
      slots[slot].due = nil
    }
  }
}
