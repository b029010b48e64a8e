import ClusterCore
import HTTPServer

extension Resources {
  private static let changesNames = ViewportField.names(.changes) + ["since"]

  /// What changes in a viewport, as server-sent events.
  func changes(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let fields = try Fields(query: request.query, allowed: Resources.changesNames)
    let method = try fields.choice("method", ViewportValues.Method.self) ?? .grid
    guard method == .grid else {
      throw fields.problem("method", "only viewports of the method grid can be watched")
    }
    let viewport = try ViewportRequest(fields, of: .changes)
    let since = try fields.integer("since").map(Int64.init)
    _ = try request.negotiate([.eventStream], format: nil)
    _ = try snapshot(id)
    // A browser that reconnects sends the id of the last event that it has seen.
    let last = request.headers["last-event-id"].flatMap { Int64(trimmed($0)) }
    let key = Watch.Key(collection: id, query: Resources.sharedQuery(request.query))
    return .deferred { [hub] answer in
      try hub.watch(key, viewport, since: last ?? since, by: request, answer: answer)
    }
  }

  /// The fields of a query without `since`, sorted: what watchers must have in common to share their events.
  private static func sharedQuery(_ query: String?) -> String {
    (query ?? "").split(separator: "&").filter { $0 != "since" && !$0.hasPrefix("since=") }
      .sorted().joined(separator: "&")
  }
}
