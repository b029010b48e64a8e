import ClusterAPI
import ClusterCore
import HTTPServer

/// Compares what reads cost with what is estimated before: the processor time of all threads, and the bytes of
/// the answer.
struct CostBenchmark {
  private let service: InProcess
  private let count: Int

  /// Opens a data directory that holds the cities as the collection `c`, with ids from 1 on.
  init(directory: String, count: Int) throws {
    service = try InProcess(directory: directory)
    self.count = count
  }

  /// Prints a row for each kind: the share of estimates within a factor of four, and the quotients of estimate
  /// and truth that all but a tenth of them lie between.
  func run() throws {
    var synthetic = Synthetic(seed: 12)
    print("kind\tanswers\tbytes: within 4×\t5%\tmedian\t95%\ttime: within 4×\t5%\tmedian\t95%\tµs")
    var all: (answers: Int, bytes: Int, times: Int) = (0, 0, 0)
    for kind in RandomRead.Kind.allCases {
      var (bytes, times, truth): ([Double], [Double], [Double]) = ([], [], [])
      for _ in 0..<count {
        let id = 1 + Int(synthetic.uniform() * 200_000)
        guard let centre = try? service.coordinate(of: id) else { continue }
        let request = RandomRead(kind, at: centre, id: id, &synthetic).request
        guard let cost = try? service.cost(of: request) else { continue }
        var answer: HTTPResponse?
        let time = seconds { answer = try? service.answer(request) }
        // Refused requests have no estimate, nor do those with empty answers.
        guard let answer else { continue }
        bytes.append(cost.bytes / Double(answer.body.count))
        times.append(cost.nanoseconds / 1e9 / time)
        truth.append(time * 1e6)
        let isWithin = [bytes, times].allSatisfy { $0.last.map((0.25...4).contains) ?? true }
        if !isWithin {
          print(
            "  \(Int(cost.bytes)) for \(answer.body.count) bytes,",
            "\(Int(cost.nanoseconds / 1000)) for \(Int(time * 1e6)) µs:", request.target.prefix(200)
          )
        }
      }
      print(
        [kind.rawValue, "\(bytes.count)"].joined(separator: "\t"), CostBenchmark.row(bytes),
        CostBenchmark.row(times), "\(Int(truth.sorted()[truth.count / 2]))", separator: "\t")
      all.answers += bytes.count
      all.bytes += bytes.count { (0.25...4).contains($0) }
      all.times += times.count { (0.25...4).contains($0) }
    }
    print("all\t\(all.answers)\t\(all.bytes)\t\t\t\t\(all.times)")
  }

  private static func row(_ quotients: [Double]) -> String {
    let sorted = quotients.sorted()
    func quantile(_ share: Double) -> String {
      let value = sorted.isEmpty ? 0 : sorted[Int(Double(sorted.count - 1) * share)]
      return "\((value * 100).rounded() / 100)"
    }
    let within = sorted.count { (0.25...4).contains($0) }
    return ["\(within)", quantile(0.05), quantile(0.5), quantile(0.95)].joined(separator: "\t")
  }
}
