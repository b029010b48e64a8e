import Dispatch
import HTTPServer
import Synchronization

/// How much more two threads answer than one, without sockets.
struct ThreadBenchmark {
  private let service: InProcess
  private let requests: [HTTPRequest]

  /// Over a data directory that holds the cities.
  init(directory: String) throws {
    service = try InProcess(directory: directory)
    var synthetic = Synthetic(seed: 11)
    requests = (0..<6000).map {
      HTTPRequest(PhoneView.all[$0 % PhoneView.all.count].request(&synthetic, ownGrid: false))
    }
  }

  func run() throws {
    let expected = try answerAll(threads: 1).bytes
    var rates: [(one: Double, two: Double)] = []
    var busy: [Double] = []
    for _ in 0..<5 {
      let (one, two) = (try answerAll(threads: 1), try answerAll(threads: 2))
      guard one.bytes == expected, two.bytes == expected else {
        throw InProcess.Failure(description: "other bodies on two threads")
      }
      busy.append(2 * one.busy / two.busy)
      rates.append((Double(requests.count) / one.seconds, Double(requests.count) / two.seconds))
    }
    let ratio = rates.map { $0.two / $0.one }.sorted().percentile(50)
    row(
      "in process, the three views, two threads",
      "\(Int(rates.map(\.two).sorted().percentile(50)))/s",
      "one thread \(Int(rates.map(\.one).sorted().percentile(50)))/s: \(rounded(ratio)) times, "
        + "by processor time \(rounded(busy.sorted().percentile(50)))")
  }

  /// Answers every request once, divided among threads: how long that takes, how much processor time of
  /// all threads, and how long the bodies are.
  private func answerAll(threads: Int) throws -> (seconds: Double, busy: Double, bytes: Int) {
    let bytes = Atomic<Int>(0)
    let failures = Atomic<Int>(0)
    let (service, requests) = (self.service, self.requests)
    let (begin, idle) = (wallTime(), processTime())
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      var count = 0
      for place in stride(from: thread, to: requests.count, by: threads) {
        guard let answer = try? service.answer(requests[place]) else {
          failures.add(1, ordering: .relaxed)
          return
        }
        count += answer.body.count
      }
      bytes.add(count, ordering: .relaxed)
    }
    let (seconds, busy) = (wallTime() - begin, processTime() - idle)
    guard failures.load(ordering: .relaxed) == 0 else {
      throw InProcess.Failure(description: "a request was refused")
    }
    return (seconds, busy, bytes.load(ordering: .relaxed))
  }
}
