import Glibc
import TestSupport
import Testing

@testable import PinclusterService

/// Flags, variables and the configuration file: which of them wins, and what is said of mistakes.
@Suite(.timeLimit(.minutes(5))) struct ConfigurationTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Writes a file and returns its path.
  private func file(_ text: String, _ name: String = "config.json") throws -> String {
    try directory.write(text, as: name)
    return directory.file(name)
  }

  private func printed(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> TestJSON {
    let run = try Tool(["serve", "--print-config"] + arguments, environment: environment)
      .expectSuccess()
    return try TestJSON(parsing: run.output)
  }

  @Test func theStrongerWins() throws {
    let path = try file(
      #"{"port": 1, "threads": 2, "idle-timeout": 3, "trust-proxy": true, "data": "/d"}"#)
    let all = try printed(
      ["--config", path, "--port", "10"],
      ["PINCLUSTER_PORT": "20", "PINCLUSTER_THREADS": "21", "PINCLUSTER_CONFIG": "/nowhere"])
    #expect(all["port"] == 10)
    #expect(all["threads"] == 21)
    #expect(all["idle-timeout"] == 3)
    #expect(all["trust-proxy"] == true)
    #expect(all["data"] == "/d")
    #expect(all["max-connections"] == 10_000)
    let sources = try #require(all["sources"])
    #expect(sources["port"] == "--port on the command line")
    #expect(sources["threads"] == "PINCLUSTER_THREADS in the environment")
    #expect(sources["idle-timeout"]?.string == "\"idle-timeout\" in \(path)")
    #expect(sources["max-connections"] == nil)
    let off = try printed(["--config", path], ["PINCLUSTER_TRUST_PROXY": "false"])
    #expect(off["trust-proxy"] == false)
    #expect(try printed([], ["PINCLUSTER_CONFIG": path])["idle-timeout"] == 3)
  }

  @Test func whatIsPrintedIsTakenAgain() throws {
    let path = try file(
      #"{"cors-origin": ["https://a.example", "https://b.example"], "basemap-attribution": "© \"ä\u0001",  "port": 0}"#
    )
    let arguments = ["serve", "--print-config", "--config"]
    let first = try Tool(arguments + [path, "--threads", "3"]).expectSuccess()
    #expect(try TestJSON(parsing: first.output)["cors-origin"]?.array?.count == 2)
    let again = try Tool(arguments + [try file(first.output, "again.json")]).expectSuccess()
    func withoutSources(_ text: String) -> Substring {
      text.prefix { $0 != "}" }.split(separator: "  \"sources\"")[0]
    }
    #expect(withoutSources(again.output) == withoutSources(first.output))
    // All flags with a value that holds anyway, and those that were given.
    let names =
      Serve.flags.filter { $0.standard != nil }.map(\.name) + [
        "cors-origin", "basemap-attribution",
      ]
    for name in names { #expect(again.output.contains("  \"\(name)\": "), "\(name)") }
  }

  @Test func theServiceTakesAFile() throws {
    let path = try file(#"{"threads": 1, "max-collections": 1, "host": "127.0.0.1"}"#)
    let server = try ServerProcess.ready(arguments: ["--config", path])
    #expect(server.log[0]["threads"] == 1)
    #expect(try server.client.send("PUT", "/collections/a", json: "{}").status == 201)
    #expect(try server.client.send("PUT", "/collections/b", json: "{}").fault(status: 422) == nil)
    // Each command takes what is its own from one file for all.
    try Tool([
      "health", "--config", try file("{\"port\": \(server.port), \"threads\": 1}", "h.json"),
    ])
    .expectSuccess()
  }

  @Test func mistakesInAFileNameTheKeyAndTheFile() throws {
    for (text, words) in [
      (#"{"prot": 1}"#, ["\"prot\"", "not a flag"]),
      (#"{"port": "80"}"#, ["\"port\"", "a number"]),
      (#"{"port": 65536}"#, ["\"port\"", "65536", "0 to 65535"]),
      (#"{"port": 1.5}"#, ["\"port\"", "1.5", "integer"]),
      (#"{"port": 1e2}"#, ["\"port\"", "1e2", "integer"]),
      (#"{"port": null}"#, ["\"port\"", "null"]),
      (#"{"port": 1, "port": 2}"#, ["\"port\"", "twice"]),
      (#"{"p\u006frt": 1, "port": 2}"#, ["\"port\"", "twice"]),
      (#"{"host": 1}"#, ["\"host\"", "a string"]), (#"{"host": ["a"]}"#, ["\"host\"", "an array"]),
      (#"{"host": "a\u0000b"}"#, ["\"host\"", "U+0000"]),
      (#"{"trust-proxy": "true"}"#, ["\"trust-proxy\"", "true or false"]),
      (#"{"log-level": "loud"}"#, ["\"log-level\"", "loud", "debug, info or error"]),
      (#"{"cors-origin": ["https://a.example", 1]}"#, ["\"cors-origin\"", "array of strings"]),
      (#"{"cors-origin": ["https://a.example,https://b.example"]}"#, ["\"cors-origin\"", "comma"]),
      (#"{"cors-origin": "nonsense"}"#, ["\"cors-origin\"", "nonsense"]),
      (#"{"public-url": "x\ny"}"#, ["\"public-url\"", "x\\ny"]),
      (#"{"basemap-url": "/{z}"}"#, ["\"basemap-url\"", "/{z}"]),
      (#"{"config": "other.json"}"#, ["\"config\""]),
      (#"{"print-config": true}"#, ["command line"]),
      (#"{"collection": "c"}"#, ["\"collection\"", "command line only"]),
      (#"{"sources": 1}"#, ["\"sources\""]), ("{\n\n\"port\": }", ["not JSON", "line 3"]),
      ("[1]", ["an array"]), ("", ["not JSON"]),
      ("{\"host\": \"\(String(repeating: "x", count: 1 << 20))\"}", ["1 MiB"]),
    ] {
      let path = try file(text)
      let run = try Tool(["serve", "--config", path])
      run.expectFailure(2, saying: path)
      for word in words { #expect(run.error.contains(word), "\(text.prefix(80)): \(run.error)") }
    }
    try Tool(["serve"], environment: ["PINCLUSTER_CONFIG": directory.file("none")])
      .expectFailure(2, saying: "PINCLUSTER_CONFIG in the environment", directory.file("none"))
    try Tool(["serve", "--config", directory.path])
      .expectFailure(2, saying: "--config on the command line", directory.path)
  }

  @Test func mistakesElsewhereNameTheirPlace() throws {
    try Tool(["serve", "--port", "x"]).expectFailure(2, saying: "--port on the command line is x")
    try Tool(["serve"], environment: ["PINCLUSTER_IDLE_TIMEOUT": "0"])
      .expectFailure(2, saying: "PINCLUSTER_IDLE_TIMEOUT in the environment is 0", "1 to 86400")
    try Tool(["serve"], environment: ["PINCLUSTER_TRUST_PROXY": "yes"])
      .expectFailure(2, saying: "PINCLUSTER_TRUST_PROXY in the environment is yes")
    try Tool(["serve"], environment: ["PINCLUSTER_CORS_ORIGIN": "x"])
      .expectFailure(2, saying: "PINCLUSTER_CORS_ORIGIN in the environment is x")
  }

  @Test func variablesThatSetNothingAreNamed() throws {
    let data = ["--data", directory.file("d")]
    let run = try Tool(
      ["serve", "--print-config"] + data,
      environment: [
        "PINCLUSTER_PROT": "1", "PINCLUSTER_TEST_X": "1", "PINCLUSTER_BINARY": "1",
        "PINCLUSTER_THREADS": "1",
      ])
    #expect(run.exit == .code(0))
    #expect(run.errorLines.count == 1 && run.error.contains("PINCLUSTER_PROT "), "\(run.error)")
    let server = try ServerProcess.ready(environment: ["PINCLUSTER_PROT": "1"])
    let named = server.log.filter { $0["event"] == "configuration" }
    #expect(named.count == 1 && named[0].text.contains("PINCLUSTER_PROT"))
  }

  @Test func whatKubernetesSetsIsKnown() throws {
    // https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
    var variables = [
      "PINCLUSTER_SERVICE_HOST": "10.0.0.11", "PINCLUSTER_SERVICE_PORT": "8080",
      "PINCLUSTER_SERVICE_PORT_HTTP": "8080", "PINCLUSTER_PORT": "tcp://10.0.0.11:8080",
      "PINCLUSTER_PORT_8080_TCP": "tcp://10.0.0.11:8080", "PINCLUSTER_PORT_8080_TCP_PROTO": "tcp",
      "PINCLUSTER_PORT_8080_TCP_PORT": "8080", "PINCLUSTER_PORT_8080_TCP_ADDR": "10.0.0.11",
    ]
    try Tool(["serve"], environment: variables)
      .expectFailure(2, saying: "PINCLUSTER_PORT", "Kubernetes", "enableServiceLinks", "--port")
    #expect(try printed(["--port", "80"], variables)["port"] == 80)
    variables = [
      "PINCLUSTER_MAPS_SERVICE_HOST": "10.0.0.11", "PINCLUSTER_MAPS_SERVICE_PORT": "8080",
      "PINCLUSTER_MAPS_PORT": "tcp://10.0.0.11:8080",
      "PINCLUSTER_MAPS_PORT_8080_TCP_ADDR": "10.0.0.11",
    ]
    #expect(try printed([], variables)["port"] == 8080)
  }

  @Test func secretsAreHidden() throws {
    let flags: [Options.Flag] = [
      .init("pass", "WORD", "a secret", .choice(["a", "b"]), isSecret: true),
      .init("port", "PORT", "a port", 0...65_535, standard: 1),
    ]
    let options = try Options(["--pass", "b"], flags: flags)
    #expect(options.values["pass"] == "b")
    let document = try TestJSON(parsing: options.printed)
    #expect(document["pass"] == nil && document["port"] == 1)
    #expect(document["sources"]?["pass"] == "--pass on the command line (hidden)")
    func message(_ arguments: [String]) -> String {
      do throws(UsageError) {
        _ = try Options(arguments, flags: flags)
        return ""
      } catch { return error.message }
    }
    #expect(message(["--pass", "hunter2"]).contains("--pass on the command line"))
    #expect(!message(["--pass", "hunter2"]).contains("hunter2"))
    let path = try file(#"{"pass": "hunter2"}"#)
    #expect(message(["--config", path]).contains("\"pass\" in \(path)"))
    #expect(!message(["--config", path]).contains("hunter2"))
  }

  @Test(arguments: [["--help"], ["-h"], ["--host", "::1", "-h"], ["a", "-h"]])
  func helpIsAskedForByAWordOrALetter(_ arguments: [String]) throws {
    #expect(
      try Options(arguments, flags: [.init("host", "HOST", "host", unset: "any")]).wantsHelp)
  }

  @Test(arguments: [
    (["-p", "8"], "-p is not a flag"), (["--host", "::1", "-xy"], "-xy is not a flag"),
    (["--host", "::1", "-x.csv", "b"], "-x.csv is not a flag"), (["--no"], "--no is not a flag"),
    (["--port"], "--port needs a value"), (["a", "-q"], "-q is not a flag"),
    (["--on=true", "--host", "::1"], "--on is a switch and takes no value"),
    (["a", "--on="], "--on is a switch and takes no value"),
  ])
  func whatIsNoFlagIsNamed(_ arguments: [String], _ message: String) {
    let flags: [Options.Flag] = [
      .init("port", "PORT", "port", unset: "0"), .init("host", "HOST", "host", unset: "any"),
      .init(switch: "on", "on"),
    ]
    let error = #expect(throws: UsageError.self) {
      try Options(arguments, flags: flags)
    }
    #expect(error?.message == "\(message); see pincluster serve --help")
  }

  @Test func thePageOfOperationsNamesEveryFlag() throws {
    let page = String(
      decoding: try Fixtures.bytes(path: Fixtures.root + "/docs/operations.md"), as: UTF8.self)
    for flag in Command.all.flatMap(\.allFlags) {
      #expect(page.contains("`--\(flag.name)`"), "\(flag.name)")
      if flag.hasVariable { #expect(page.contains("`\(flag.variable)`"), "\(flag.name)") }
    }
  }
}

extension Options {
  /// Parses arguments of a command with some flags.
  fileprivate init(_ arguments: [String], flags: [Flag]) throws(UsageError) {
    let entry = Command.Entry("serve", Serve.self, flags: flags, summary: "", description: "")
    try self.init(arguments, of: entry, known: flags)
  }
}
