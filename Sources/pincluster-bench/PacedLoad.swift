import Glibc

/// Requests at a steady rate, whether answers come or not, from one thread over a few connections. The
/// time of a request runs from when it is due, so that one that had to wait for another counts its wait.
struct PacedLoad {
  private let requests: [String]
  private let interval: Double
  private let end: Double
  private var slots: [(connection: LiveConnection, due: Double?)]
  private var times: [Double] = []

  /// Sends the requests of a file to 127.0.0.1 for so many seconds, but none twice.
  init(port: UInt16, requests path: String, rate: Double, seconds: Double) throws {
    requests = try InputFile.lines(path)
    interval = 1 / rate
    end = min(seconds, Double(requests.count) * interval)
    slots = try (0..<16).map { _ in (try LiveConnection(port: port), nil) }
  }

  /// Prints how many answers came a second, and the median and the 99th percentile in microseconds.
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

  /// Takes what has come. It gives way but doesn't sleep, as it would be woken late.
  private mutating func take() throws {
    var polled = slots.map {
      pollfd(fd: $0.connection.socket, events: $0.due == nil ? 0 : Int16(POLLIN), revents: 0)
    }
    guard poll(&polled, nfds_t(polled.count), 0) > 0 else {
      sched_yield()
      return
    }
    for place in polled.indices where polled[place].revents != 0 {
      guard let answer = try slots[place].connection.receive(), let due = slots[place].due else {
        continue
      }
      guard answer.status == 200 else {
        throw LiveConnection.Failure(description: String(decoding: answer.body, as: UTF8.self))
      }
      times.append(wallTime() - due)
      slots[place].due = nil
    }
  }
}
