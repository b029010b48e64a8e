import HTTPServer

/// `pincluster health`: asks a running service whether it is ready.
struct Health: RunnableCommand {
  static let flags: [Options.Flag] =
    [
      .once("url", "URL", "service to ask", unset: "http://127.0.0.1 and the port"),
      .init("port", "PORT", "port on this machine", 1...65_535, standard: 8080),
      .init(
        "tls-cert", "FILE",
        "set if the service on this machine speaks HTTPS; its name isn't checked"),
    ] + TrustFiles.flags

  private let url: String
  /// Whether the service's certificate is checked. On this machine, a certificate names another.
  private let verifies: Bool
  private let trust: TrustFiles

  init(_ options: Options) throws(UsageError) {
    let port = options.integer("port")
    let scheme = options.values["tls-cert"] == nil ? "http" : "https"
    let given = try options.url()
    url = given ?? "\(scheme)://127.0.0.1:\(port)"
    verifies = given != nil
    trust = try TrustFiles(options)
  }

  /// Returns 0 if the service is ready, otherwise 1.
  func run() throws -> Int32 {
    let client = try trust.client(for: url, verifies: verifies)
    let response = try client.send(.get, "/health/ready", timeout: 3)
    print(response.status == 200 ? "ready" : "not ready: \(url) answered \(response.status)")
    return response.status == 200 ? 0 : 1
  }
}
