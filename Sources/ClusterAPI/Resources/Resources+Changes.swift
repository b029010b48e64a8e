import ClusterCore
import HTTPServer

extension Resources {
  private static let changesNames = ViewportField.names(.changes) + ["since"]

  /// What changes in a viewport, as server-sent events.
  func changes(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let fields = try Fields(query: request.query, allowed: Resources.changesNames)
    let method = try fields.choice("method", ClusterMethod.self) ?? .grid
    guard method == .grid else {
      throw fields.problem("method", "only views of the method grid can be watched")
    }
    let view = try ViewportRequest(fields, of: .changes)
    let since = try fields.integer("since").map(Int64.init)
    _ = try request.negotiate([.eventStream], format: nil)
    _ = try snapshot(id)
    // A browser that comes again has seen more than the address says.
    let last = request.headers["last-event-id"].flatMap { Int64(trimmed($0)) }
    let key = WatchKey(collection: id, query: Resources.sharedQuery(request.query))
    let isToHead = request.method == .head
    return .deferred { [hub] answer in
      try hub.watch(key, view, since: last ?? since, isToHead: isToHead, answer: answer)
    }
  }

  /// The fields of a query but for where to begin, in one order: what watchers must have in common to
  /// share their events.
  private static func sharedQuery(_ query: String?) -> String {
    (query ?? "").split(separator: "&").filter { $0 != "since" && !$0.hasPrefix("since=") }
      .sorted().joined(separator: "&")
  }
}
