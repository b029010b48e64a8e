import Collections
import HTTPServer

/// Counts of answered requests by route, method and status, and how long they took. There are as many figures as the
/// API has resources, whatever clients ask for, and counting doesn't allocate once a resource was asked for.
struct RequestCounts: Sendable {
  /// The statuses that are told apart; any other is the first.
  private static let statuses = [
    0, 200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 410, 412, 413, 415, 417,
    421, 422, 428, 429, 431, 499, 500, 501, 503, 507,
  ]
  /// Where a status is among them.
  private static let places: [UInt8] = (0..<600).map { status in
    UInt8(statuses.firstIndex(of: status) ?? 0)
  }
  private static let methods = HTTPMethod.allCases

  /// The labels of the routes. The last is that of paths at which there is nothing.
  private let routes: [String]
  private var counts: [Int]
  private var durations: [Distribution?]

  init(routes: [String], unknown: String) {
    self.routes = routes + [unknown]
    let kinds = self.routes.count * RequestCounts.methods.count
    counts = Array(repeating: 0, count: kinds * RequestCounts.statuses.count)
    durations = Array(repeating: nil, count: kinds)
  }

  /// Counts a request.
  mutating func count(_ log: RequestLog) {
    let last = routes.count - 1
    let kind =
      min(log.notes.route ?? last, last) * RequestCounts.methods.count
      + (RequestCounts.methods.firstIndex(of: log.method) ?? 0)
    let place = Int(RequestCounts.places[max(0, min(log.status, 599))])
    counts[kind * RequestCounts.statuses.count + place] &+= 1
    if durations[kind] == nil { durations[kind] = Distribution(.moments) }
    durations[kind]?.add(UInt(max(log.microseconds, 0)) &* 1000)
  }

  /// Adds the figures that aren't 0.
  func write(to text: inout PrometheusText) {
    let methods = RequestCounts.methods
    var answered: [PrometheusText.Sample] = []
    var took: [(labels: String, value: Distribution)] = []
    for kind in durations.indices {
      guard let histogram = durations[kind] else { continue }
      let (route, method) = (routes[kind / methods.count], methods[kind % methods.count])
      let labels = "method=\"\(method)\",route=\"\(route)\""
      took.append((labels, histogram))
      for (place, status) in RequestCounts.statuses.enumerated() {
        let count = counts[kind * RequestCounts.statuses.count + place]
        if count > 0 {
          let name = status == 0 ? "other" : "\(status)"
          answered.append(("{\(labels),status=\"\(name)\"}", "\(count)"))
        }
      }
    }
    text.add("requests_total", "counter", "Answered requests.", answered)
    text.histogram(
      "request_duration_seconds", "From a request being read to its answer being handed over.", took
    )
  }
}
