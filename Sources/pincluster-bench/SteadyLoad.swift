import Glibc

/// Sends requests at a steady rate, however slow the answers are, from one thread over 16 connections.
struct SteadyLoad {
  struct Request {
    var method = "GET"
    var path: String
    var body: [UInt8]?
  }

  private let interval: Double
  /// Whether it yields instead of sleeping, which would wake up late. The time of a request then begins when it is due,
  /// and so includes waiting for a free connection.
  private let isPunctual: Bool
  private var slots: [(connection: Connection, began: Double?)]
  /// The seconds until each answer.
  private(set) var times: [Double] = []

  init(port: UInt16, rate: Double, isPunctual: Bool) throws {
    interval = 1 / rate
    self.isPunctual = isPunctual
    slots = try (0..<16).map { _ in (try Connection(port: port), nil) }
  }

  /// Sends requests until there are no more, and waits for their answers, which must be 200.
  ///
  /// - Parameters:
  ///   - next: makes a request for a connection, given by its number.
  ///   - answered: is called with the number of a connection after its answer.
  mutating func run(_ next: (Int) throws -> Request?, answered: (Int) -> Void = { _ in }) throws {
    var due = wallTime()
    var isOver = false
    while !isOver || slots.contains(where: { $0.began != nil }) {
      while !isOver, due <= wallTime(), let free = slots.firstIndex(where: { $0.began == nil }) {
        guard let request = try next(free) else {
          isOver = true
          break
        }
        slots[free].began = isPunctual ? due : wallTime()
        try slots[free].connection.send(request.method, request.path, request.body)
        due += interval
      }
      for slot in wait() {
        guard let answer = try slots[slot].connection.receive(), let began = slots[slot].began
        else {
          continue
        }
        try ensure(answer.status == 200, String(decoding: answer.body, as: UTF8.self))
        times.append(wallTime() - began)
        slots[slot].began = nil
        answered(slot)
      }
    }
  }

  /// The connections at which bytes have arrived; those that arrive within a millisecond, unless it is punctual.
  private func wait() -> [Int] {
    var polled = slots.map {
      pollfd(fd: $0.connection.socket, events: $0.began == nil ? 0 : Int16(POLLIN), revents: 0)
    }
    guard poll(&polled, nfds_t(polled.count), isPunctual ? 0 : 1) > 0 else {
      if isPunctual { sched_yield() }
      return []
    }
    return polled.indices.filter { polled[$0].revents != 0 }
  }

  /// Sends the requests of a file for some seconds, none twice, and prints the answers per second and their median and
  /// 99th percentile in microseconds.
  static func printPaced(port: UInt16, requests path: String, rate: Double, seconds: Double) throws
  {
    let requests = try lines(of: path)
    var load = try SteadyLoad(port: port, rate: rate, isPunctual: true)
    let (begin, count) = (wallTime(), min(requests.count, Int(seconds * rate)))
    var sent = 0
    try load.run { _ in
      guard sent < count else { return nil }
      sent += 1
      return Request(path: requests[sent - 1])
    }
    print(
      Int(Double(count) / (wallTime() - begin)), Int(load.times.median * 1e6),
      Int(load.times.percentile(99) * 1e6))
  }
}
