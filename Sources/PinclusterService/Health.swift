import HTTPServer

/// `pincluster health`: asks a running service whether it is ready.
struct Health {
  static let flags = [
    Flag(
      name: "url", placeholder: "URL", help: "the service (http://127.0.0.1 and the port)",
      hasVariable: false),
    Flag(name: "port", placeholder: "PORT", help: "its port on this machine (8080)"),
  ]

  private let url: String

  init(_ options: Options) throws(UsageError) {
    if let operand = options.operands.first {
      throw UsageError(message: "health takes no \(operand); see pincluster health --help")
    }
    let port = try options.integer("port", in: 1...65_535) ?? 8080
    url = options.values["url"] ?? "http://127.0.0.1:\(port)"
  }

  /// Returns 0 when the service is ready, else 1.
  func run() throws(HTTPClientError) -> Int32 {
    let response = try HTTPClient(url: url).send(.get, "/health/ready", timeout: 3)
    print(response.status == 200 ? "ready" : "not ready: \(url) answered \(response.status)")
    return response.status == 200 ? 0 : 1
  }
}
