import Dispatch
import HTTPServer
import Synchronization

/// Measures how much more two threads answer than one, without sockets, and how much more two services that
/// share nothing do, which shows what the second core is worth.
struct ThreadBenchmark {
  private let service: InProcess
  private let other: InProcess
  private let requests: [HTTPRequest]

  /// Opens two data directories that hold the cities.
  init(directory: String, copy: String) throws {
    service = try InProcess(directory: directory)
    other = try InProcess(directory: copy)
    var synthetic = Synthetic(seed: 11)
    requests = (0..<24_000).map {
      HTTPRequest(PhoneView.all[$0 % PhoneView.all.count].request(&synthetic, ownGrid: false))
    }
  }

  func run() throws {
    let expected = try answerAll([service]).bytes
    _ = try answerAll([other])
    var rates: [(one: Double, two: Double)] = []
    var (ratios, apart): ([Double], [Double]) = ([], [])
    for _ in 0..<5 {
      let one = try answerAll([service])
      let two = try answerAll([service, service])
      let separate = try answerAll([service, other])
      try ensure(
        one.bytes == expected && two.bytes == expected && separate.bytes == expected,
        "bodies on two threads differ")
      ratios.append(one.seconds / two.seconds)
      apart.append(one.seconds / separate.seconds)
      rates.append((Double(requests.count) / one.seconds, Double(requests.count) / two.seconds))
    }
    row(
      "in process, the three views, two threads",
      "\(Int(rates.map(\.two).median))/s",
      "one thread \(Int(rates.map(\.one).median))/s: "
        + "\(rounded(ratios.median)) times; "
        + "two services that share nothing \(rounded(apart.median)) times")
  }

  /// Answers every request once, on one thread for each service. Returns the seconds that this takes and the
  /// total size of the bodies.
  private func answerAll(_ services: [InProcess]) throws -> (seconds: Double, bytes: Int) {
    let bytes = Atomic<Int>(0)
    let failures = Atomic<Int>(0)
    let (requests, threads) = (self.requests, services.count)
    let begin = wallTime()
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      var count = 0
      for index in stride(from: thread, to: requests.count, by: threads) {
        guard let answer = try? services[thread].answer(requests[index]) else {
          failures.add(1, ordering: .relaxed)
          return
        }
        count += answer.body.count
      }
      bytes.add(count, ordering: .relaxed)
    }
    let seconds = wallTime() - begin
    try ensure(failures.load(ordering: .relaxed) == 0, "a request was refused")
    return (seconds, bytes.load(ordering: .relaxed))
  }
}
