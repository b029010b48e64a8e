import Glibc
import TestSupport
import Testing

/// Who may do what, by the files that the binary reads, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct AccessTests {
  private static let secrets = ["r-9f3c1d", "w-5b1e77", "t-0a44f2"]
  private static let keys = """
    read:r-9f3c1d
    write:w-5b1e77
    {"scope":"write","key":"t-0a44f2","filter":"tenant = 't'"}
    """
  private static let feature =
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"tenant":"t"}}"#

  private static func bearer(_ key: String) -> [(String, String)] {
    [("Authorization", "Bearer \(key)")]
  }

  private func send(
    _ server: ServerProcess, _ method: String, _ path: String, _ headers: [(String, String)] = [],
    _ body: String = ""
  ) throws -> TestResponse {
    let type = body.isEmpty ? [] : [("Content-Type", "application/json")]
    return try server.client.send(
      method, path, headers: headers + type, body: Array(body.utf8))
  }

  private func write(_ text: String, _ path: String) throws {
    try Fixtures.write(text.utf8, path: path)
  }

  /// Waits until a request is answered with a status.
  private func awaitStatus(
    _ status: Int, _ server: ServerProcess, _ headers: [(String, String)]
  ) throws {
    let isThere = try eventually {
      try send(server, "GET", "/collections", headers).status == status
    }
    #expect(isThere, "no answer \(status): \(server.standardError)")
  }

  @Test func aServiceIsReadyHoweverMuchIsAskedWithoutAKey() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("keys")
    try write(
      #"""
      admin:a-77d2
      {"scope":"read","anonymous":true,"rate":1}
      {"scope":"read","key":"r-slow","rate":1}
      """#, path)
    let server = try ServerProcess.ready(arguments: ["--api-key-file", path])
    let asked = try (0..<5).map { _ in try send(server, "GET", "/collections").status }
    #expect(asked.contains(200) && asked.contains(429), "\(asked)")
    for open in ["/health/ready", "/health/live", "/", "/map"] {
      for _ in 0..<5 { #expect(try send(server, "GET", open).status == 200, "\(open)") }
    }
    #expect(try send(server, "GET", "/collections").status == 429)
    // A key's requests count wherever they go.
    let own = try (0..<5).map { _ in
      try send(server, "GET", "/health/ready", Self.bearer("r-slow")).status
    }
    #expect(own.contains(200) && own.contains(429), "\(own)")
  }

  @Test func importsAndExportsWaitForTheirTurn() throws {
    let directory = try TemporaryDirectory()
    let (path, key) = (directory.file("keys"), directory.file("key"))
    try write(#"{"scope":"write","key":"w-slow","rate":1}"#, path)
    try write("w-slow", key)
    let server = try ServerProcess.ready(arguments: ["--api-key-file", path])
    let rows = (1...25_000).map { "\($0),1,2\n" }.joined()
    try write("id,lon,lat\n" + rows, directory.file("a.csv"))
    let url = [
      "--collection", "c", "--url", server.url, "--key-file", key,
    ]
    let load = try Tool(["import", directory.file("a.csv")] + url).expectSuccess()
    #expect(load.output.contains("25000 inserted"), "\(load.output)")
    let export = try Tool(["export"] + url)
    #expect(export.exit == .code(0), "\(export.error)")
    #expect(export.output.split(separator: "\n").count == 25_000)
    #expect(server.terminate() == 0)
  }

  @Test func aCompressedBodyIsLookedAtForThoseOnlyWhoMaySendIt() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("keys")
    try write(Self.keys, path)
    let server = try ServerProcess.ready(arguments: ["--api-key-file", path])
    for body in [[UInt8](repeating: 7, count: 30), [UInt8](repeating: 7, count: 9000)] {
      for (key, path, status) in [
        ("r-9f3c1d", "/collections/c/items", 403), ("w-5b1e77", "/collections/c/items", 400),
        ("w-5b1e77", "/nothing", 404), ("none", "/collections/c/items", 401),
      ] {
        let fields = [("Content-Encoding", "gzip"), ("Content-Type", "application/json")]
        let answer = try server.client.send(
          "POST", path, headers: Self.bearer(key) + fields, body: body)
        #expect(answer.status == status, "\(key) \(path): \(answer.text)")
      }
    }
    #expect(server.terminate() == 0)
  }

  @Test func keysAreNeededReadAgainAndNeverTold() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("keys")
    try write(Self.keys, path)
    let server = try ServerProcess.ready(arguments: [
      "--api-key-file", path, "--log-level", "debug",
    ])
    let item = "/collections/c/items/1"
    let none = try send(server, "GET", "/collections")
    #expect(none.status == 401)
    #expect(none.mediaType == "application/problem+json")
    #expect(none.header("WWW-Authenticate")?.hasPrefix("Bearer ") == true)
    #expect(try send(server, "GET", "/nothing").status == 401)
    for open in ["/", "/health/ready", "/openapi.yaml", "/map", "/clients/pincluster.js"] {
      #expect(try send(server, "GET", open).status == 200, "\(open)")
    }
    #expect(try send(server, "OPTIONS", item).status == 200)
    #expect(try send(server, "PUT", item, Self.bearer("r-9f3c1d"), Self.feature).status == 403)
    #expect(try send(server, "PUT", item, Self.bearer("w-5b1e77"), Self.feature).status == 201)
    #expect(try send(server, "DELETE", "/collections/c", Self.bearer("w-5b1e77")).status == 403)
    let read = try send(server, "GET", item, Self.bearer("r-9f3c1d"))
    #expect(read.status == 200)
    #expect(read.header("Cache-Control") == "private, no-cache")
    #expect(read.headers.contains { $0.name == "Vary" && $0.value.contains("Authorization") })
    // A command shows the key of a file.
    let own = directory.file("own")
    try write("w-5b1e77\n", own)
    let file = directory.file("more.geojsonl")
    try write(Self.feature, file)
    let target = ["--collection", "c", "--url", server.url]
    try Tool(["import", file] + target + ["--key-file", own]).expectSuccess()
    try Tool(["import", file] + target).expectFailure(1, saying: "401", "needs a key")
    // A stream ends when its key is taken away.
    let connection = try TestConnection(port: server.port, timeout: 20)
    try connection.write(
      TestConnection.request(
        "GET", "/collections/c/changes?bbox=0,0,9,9&zoom=2",
        headers: Self.bearer("t-0a44f2") + [("Accept", "text/event-stream")]))
    #expect(try connection.receiveHead().status == 200)
    try write("nonsense", path)
    server.process.signal(SIGHUP)
    #expect(eventually { server.standardError.contains("keys not read") })
    try awaitStatus(200, server, Self.bearer("r-9f3c1d"))
    try write("write:w-5b1e77", path)
    server.process.signal(SIGHUP)
    try awaitStatus(401, server, Self.bearer("r-9f3c1d"))
    var events = ""
    while let chunk = try connection.receiveChunk() {
      events += String(decoding: chunk, as: UTF8.self)
    }
    #expect(events.contains("event: problem"))
    // No secret is told anywhere, not even a wrong one.
    let wrong = try send(server, "GET", "/collections", Self.bearer("wrong-77aa"))
    let metrics = try send(server, "GET", "/metrics", Self.bearer("w-5b1e77"))
    let line = try Fixtures.bytes(path: "/proc/\(server.process.pid)/cmdline")
    #expect(String(decoding: line, as: UTF8.self).contains("--api-key-file"))
    let told = [
      wrong.text, none.text, metrics.text, server.standardError, events,
      String(decoding: line, as: UTF8.self),
    ]
    for secret in Self.secrets + ["wrong-77aa"] {
      #expect(told.allSatisfy { !$0.contains(secret) }, "\(secret)")
    }
    #expect(metrics.text.contains("reason=\"unauthorized\"} "))
    #expect(server.terminate() == 0)
  }

  @Test func anybodyWritesOnlyWhereThatIsMeant() throws {
    let arguments = ["serve", "--port", "0", "--host", "0.0.0.0"]
    let directory = try TemporaryDirectory()
    let missing = directory.file("missing")
    try Tool(arguments).expectFailure(2, saying: "0.0.0.0", "--allow-anonymous-writes")
    for name in ["127.example.com", "127.0.0.1.example.com", "127.1"] {
      try Tool(["serve", "--port", "0", "--host", name])
        .expectFailure(2, saying: name, "--allow-anonymous-writes")
    }
    let bad = directory.file("bad")
    try write("read:a\nread:b:c d", bad)
    for (flag, path, reason) in [
      ("--api-key-file", missing, "No such file"), ("--jwt-key-file", missing, "No such file"),
      ("--api-key-file", bad, "line 2"), ("--jwt-key-file", bad, "fewer than 32"),
      ("--api-key-file", directory.path, "not a file"),
    ] {
      try Tool(arguments + ["--data", directory.file("data"), flag, path])
        .expectFailure(1, saying: path, reason)
    }
    let server = try ServerProcess.ready(arguments: ["--host", "::", "--allow-anonymous-writes"])
    #expect(try send(server, "PUT", "/collections/c", [], "{}").status == 201)
    try write("read:reader\n", bad)
    let guarded = try ServerProcess.ready(arguments: ["--host", "0.0.0.0", "--api-key-file", bad])
    #expect(try send(guarded, "PUT", "/collections/c", [], "{}").status == 401)
  }

  /// A shell script that makes a key pair and prints a token of each of the claims, in $2 and on.
  private static let signing = """
    cd "$1" && shift && b() { base64 -w0 | tr '+/' '-_' | tr -d =; }
    openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key 2>/dev/null
    openssl pkey -in key -pubout -out public
    for claims; do
      s="$(printf '{"alg":"RS256"}' | b).$(printf %s "$claims" | b)"
      printf '%s.%s\\n' "$s" "$(printf %s "$s" | openssl dgst -sha256 -sign key -binary | b)"
    done
    # What the public key would sign if it were taken for a secret.
    s="$(printf '{"alg":"HS256"}' | b).$(printf '{"scope":"admin"}' | b)"
    printf '%s.%s\\n' "$s" "$(printf %s "$s" | openssl dgst -sha256 -hmac "$(cat public)" -binary | b)"
    """

  @Test func tokensAreCheckedWithAPublicKey() throws {
    let directory = try TemporaryDirectory()
    let now = time(nil)
    let signer = try ChildProcess(
      "/bin/sh",
      [
        "-c", Self.signing, "sh", directory.path, #"{"scope":"write","exp":\#(now + 3600)}"#,
        #"{"scope":"write","exp":\#(now - 1)}"#, #"{"scope":"read","collections":["c*"]}"#,
        #"{"scope":"read","exp":\#(now + 4)}"#,
      ])
    #expect(signer.waitForExit(seconds: 60) == .code(0))
    let tokens = signer.standardOutput.split(separator: "\n").map(String.init)
    try #require(tokens.count == 5)
    let server = try ServerProcess.ready(arguments: ["--jwt-key-file", directory.file("public")])
    let stream = try TestConnection(port: server.port, timeout: 20)
    func status(_ token: String, _ method: String = "GET", _ path: String = "/collections") throws
      -> Int
    {
      let body = method == "PUT" ? "{}" : ""
      return try send(server, method, path, Self.bearer(token), body).status
    }
    #expect(try status(tokens[0], "PUT", "/collections/c") == 201)
    #expect(try status(tokens[1]) == 401)
    #expect(try status(tokens[2], "GET", "/collections/c") == 200)
    #expect(try status(tokens[2], "GET", "/collections/d") == 403)
    #expect(try status(tokens[2], "PUT", "/collections/c") == 403)
    #expect(try status(tokens[4]) == 401)
    #expect(try status(String(tokens[0].dropLast(4)) + "AAAA") == 401)
    // What has no end ends with its token.
    try stream.write(
      TestConnection.request(
        "GET", "/collections/c/changes?bbox=0,0,9,9&zoom=2",
        headers: Self.bearer(tokens[3]) + [("Accept", "text/event-stream")]))
    #expect(try stream.receiveHead().status == 200)
    var events = ""
    while let chunk = try stream.receiveChunk() { events += String(decoding: chunk, as: UTF8.self) }
    #expect(events.contains("event: problem"))
    #expect(try status(tokens[3]) == 401)
  }
}
