import HTTPServer

/// `pincluster health`: asks a running service whether it is ready.
struct Health: RunnableCommand {
  static let flags: [Options.Flag] = [
    .init(
      "url", "URL", "service to ask", unset: "http://127.0.0.1 and the port", hasVariable: false),
    .init("port", "PORT", "port on this machine", 1...65_535, standard: 8080),
  ]

  private let url: String

  init(_ options: Options) throws(UsageError) {
    try options.refuseOperands("health")
    url = options.values["url"] ?? "http://127.0.0.1:\(options.integer("port") ?? 8080)"
  }

  /// Returns 0 if the service is ready, otherwise 1.
  func run() throws(HTTPClientError) -> Int32 {
    let response = try HTTPClient(url: url).send(.get, "/health/ready", timeout: 3)
    print(response.status == 200 ? "ready" : "not ready: \(url) answered \(response.status)")
    return response.status == 200 ? 0 : 1
  }
}
