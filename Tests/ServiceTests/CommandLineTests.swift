import Glibc
import PinclusterService
import TestSupport
import Testing

/// The command line: help, flags, variables; a mistake is one clear line and exit code 2.
@Suite(.timeLimit(.minutes(5))) struct CommandLineTests {
  @Test func helpNamesEverything() throws {
    let general = try Tool(["--help"]).expectSuccess()
    for command in ["serve", "import"] { #expect(general.output.contains(command)) }
    let serve = try Tool(["serve", "--help"]).expectSuccess()
    for name in [
      "host", "port", "data", "threads", "log-level", "max-header-bytes", "max-body-bytes",
      "idle-timeout", "max-connections", "drain-timeout", "leaflet", "basemap-url",
      "basemap-attribution",
    ] {
      #expect(serve.output.contains("--\(name) "), "\(name)")
      let variable = name.uppercased().split(separator: "-").joined(separator: "_")
      #expect(serve.output.contains("PINCLUSTER_\(variable)"), "\(name)")
    }
    let importing = try Tool(["import", "--help"]).expectSuccess()
    for name in ["collection", "data", "url", "format", "on-error"] {
      #expect(importing.output.contains("--\(name) "), "\(name)")
    }
  }

  /// The API, the binary and the client in JavaScript have one version; the binary names its commit if it knows it.
  @Test func theVersion() throws {
    let run = try Tool(["--version"]).expectSuccess()
    let form = try Regex("pincluster \\d+\\.\\d+\\.\\d+( \\([0-9a-f]{40}(-dirty)?\\))?\n")
    #expect(run.output.wholeMatch(of: form) != nil, "\(run.output)")
    #expect(run.output.hasPrefix("pincluster \(Command.version)"))
    func text(_ path: String) throws -> String {
      String(decoding: try Fixtures.bytes(path: "\(Fixtures.root)/\(path)"), as: UTF8.self)
    }
    #expect(try text("openapi.yaml").contains("\n  version: \(Command.version)\n"))
    #expect(
      try text("clients/js/package.json").contains("\n  \"version\": \"\(Command.version)\",\n"))
  }

  @Test func helpNeedsNoMore() throws {
    // Whatever else is missing or wrong.
    try Tool(["import", "--help"]).expectSuccess()
    try Tool(["serve", "--data", "/dev/null", "--help"]).expectSuccess()
  }

  @Test func mistakesAreOneLine() throws {
    try Tool([]).expectFailure(2, saying: "serve", "import")
    try Tool(["start"]).expectFailure(2, saying: "start")
    try Tool(["--port", "1"]).expectFailure(2, saying: "--port")
    for (arguments, word) in [
      (["serve", "--bogus"], "--bogus"), (["serve", "--bogus=1"], "--bogus"),
      (["serve", "-x"], "-x"), (["serve", "--port"], "--port"), (["serve", "extra"], "extra"),
      (["serve", "--port", "http"], "--port"), (["serve", "--port", "65536"], "--port"),
      (["serve", "--port", "-1"], "--port"), (["serve", "--port", ""], "--port"),
      (["serve", "--port", "99999999999999999999"], "--port"),
      (["serve", "--threads", "0"], "--threads"), (["serve", "--threads", "1.5"], "--threads"),
      (["serve", "--log-level", "loud"], "--log-level"),
      (["serve", "--max-body-bytes", "many"], "--max-body-bytes"),
      (["serve", "--basemap-url", "/{z}/{x}/{y}"], "--basemap-url"),
      (["import"], "FILE"), (["import", "a.csv"], "--collection"),
      (["import", "--collection", "c"], "FILE"),
      (["import", "a.csv", "b.csv", "--collection", "c"], "FILE"),
      (["import", "a.csv", "--collection", "a b"], "--collection"),
      (["import", "a.csv", "--collection", ""], "--collection"),
      (["import", "a.csv", "--collection", String(repeating: "c", count: 65)], "--collection"),
      (["import", "a.xml", "--collection", "c"], "--format"),
      (["import", "-", "--collection", "c"], "--format"),
      (["import", "a.csv", "--collection", "c", "--format", "xml"], "--format"),
      (["import", "a.csv", "--collection", "c", "--on-error", "ignore"], "--on-error"),
      (["import", "a.csv", "--collection", "c", "--port", "1"], "--port"),
      (["import", "a.csv", "--collection", "c", "--url", ""], "--url"),
      (["import", "a.csv", "--collection", "c", "--url", "ftp://a"], "--url"),
      (["import", "a.csv", "--collection", "c", "--id-property", ""], "--id-property"),
      (["export", "--collection", "c", "--url", "http://"], "--url"),
      (["health", "--url", ""], "--url"), (["health", "--url", "a b"], "--url"),
      (["serve", "--trust-proxy=true", "--print-config"], "--trust-proxy is a switch"),
    ] {
      try Tool(arguments).expectFailure(2, saying: word)
    }
  }

  @Test func anEmptyVariableTurnsNothingOff() throws {
    for name in [
      "STORE", "TLS_CERT", "TLS_KEY", "TLS_CLIENT_CA", "TLS_TICKETS", "API_KEY_FILE",
      "JWT_KEY_FILE",
      "DATA",
    ] {
      try Tool(["serve", "--print-config"], environment: ["PINCLUSTER_\(name)": ""])
        .expectFailure(2, saying: "PINCLUSTER_\(name)")
    }
    try Tool(["serve", "--store", " ", "--print-config"]).expectFailure(2, saying: "--store")
  }

  @Test func variablesStandInForFlags() throws {
    let directory = try TemporaryDirectory()
    let server = try ServerProcess.ready(
      arguments: ["--max-body-bytes", "5000"],
      environment: [
        "PINCLUSTER_THREADS": "1", "PINCLUSTER_LOG_LEVEL": "debug",
        "PINCLUSTER_MAX_BODY_BYTES": "2000",  // the flag is stronger
        "PINCLUSTER_DATA": directory.file("unused"), "PINCLUSTER_MAX_HEADER_BYTES": "2048",
      ])
    #expect(server.log[0]["threads"]?.int == 1)
    #expect(server.log[0]["data"]?.string == server.data.path)
    #expect(access(directory.file("unused"), F_OK) != 0)
    let long = String(repeating: "x", count: 3000)
    let body = TwinFeature(1, 1, 2, "{\"long\":\"\(long)\"}").geoJSON
    #expect(try server.client.send("POST", "/collections/c/items", json: body).status == 201)
    let longer = String(repeating: "x", count: 6000)
    let large = TwinFeature(1, 1, 2, "{\"long\":\"\(longer)\"}").geoJSON
    let refused = try server.client.send("POST", "/collections/c/items", json: large)
    #expect(refused.fault(status: 413) == nil)
    #expect(try server.client.get("/collections?\(long)").fault(status: 431) == nil)
    // At debug there is a line a request.
    let isLogged = eventually {
      server.log.contains {
        $0["event"] == "request" && $0["method"] == "POST" && $0["status"] == 201
          && $0["target"] == "/collections/c/items" && $0["level"] == "debug"
      }
    }
    #expect(isLogged)
  }

  @Test func aWrongVariableIsOneLine() throws {
    for (name, value) in [
      ("PORT", "http"), ("THREADS", "0"), ("LOG_LEVEL", "loud"), ("MAX_CONNECTIONS", "-1"),
    ] {
      let run = try Tool(["serve"], environment: ["PINCLUSTER_\(name)": value])
      run.expectFailure(2, saying: value)
    }
  }

  @Test func hostAndPortByVariable() throws {
    // The host that is given is the one that it listens on; 127.0.0.1 is told otherwise here.
    let data = try TemporaryDirectory()
    let run = try Tool(
      ["serve", "--port", "0", "--data", data.path],
      environment: ["PINCLUSTER_HOST": "256.1.1.1", "PINCLUSTER_ALLOW_ANONYMOUS_WRITES": "1"])
    run.expectFailure(saying: "256.1.1.1")
  }

  @Test func theLogIsJSONLines() throws {
    let server = try ServerProcess.ready()
    #expect(server.terminate() == 0)
    #expect(!server.log.isEmpty)
    for line in server.log {
      #expect(line["level"] == "info")
      let time = line["time"]?.string ?? ""
      #expect(time.count == 24 && time.hasSuffix("Z") && time.contains("T"), "\(line.text)")
      #expect(line["event"]?.string?.isEmpty == false)
    }
    #expect(server.log[0]["host"] == "127.0.0.1")
    #expect(server.process.standardOutput == "")
  }
}
