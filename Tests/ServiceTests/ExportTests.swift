import Glibc
import TestSupport
import Testing

/// `pincluster export`: what it writes, `pincluster import` takes back.
@Suite(.timeLimit(.minutes(5))) struct ExportTests {
  private let files: TemporaryDirectory

  init() throws { files = try TemporaryDirectory() }

  /// Imports lines into a new data directory.
  private func imported(_ text: String, _ name: String = "in.geojsonl") throws -> TemporaryDirectory
  {
    let data = try TemporaryDirectory()
    try files.write(text, as: name)
    try Tool(["import", files.file(name), "--collection", "c", "--data", data.path])
      .expectSuccess()
    return data
  }

  private func exported(_ data: TemporaryDirectory, _ arguments: [String] = []) throws -> String {
    let run = try Tool(["export", "--collection", "c", "--data", data.path] + arguments)
      .expectSuccess()
    return run.output
  }

  private func line(_ id: String, _ coordinates: String, _ rest: String) -> String {
    "{\"type\":\"Feature\",\"id\":\(id),\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(coordinates)]},"
      + "\(rest)}\n"
  }

  /// Features of every kind, as the service writes them, in the order of their ids.
  private var everything: String {
    line("-3", "-180,-90", #""properties":{}"#)
      + line("1", "1.5,2.25,100.5,7", #""properties":{"a":{"b":[1,{"c":null}]},"d":true}"#)
      + line("\"2\"", "0.1,1e-09", #""properties":{"quote":"\"\\\n,","ä":"😀"}"#)
      + line("3", "13.4,52.5", #""properties":{"n":1.50},"expires":"2999-01-02T03:04:05.678Z""#)
      + line("\"a, \\\"b\\\"\"", "179.9,89", #""properties":{"n":12345678901234567890}"#)
  }

  @Test func geoJSONComesBackWhole() throws {
    let gone = line("9", "1,1", #""properties":{},"expires":"2001-01-01T00:00:00Z""#)
    let data = try imported(everything + gone)
    let text = try exported(data)
    #expect(text == everything)
    #expect(try exported(try imported(text)) == everything)
  }

  @Test func whatNeverExpiresStaysSo() throws {
    let server = try ServerProcess.ready()
    for collection in ["c", "d"] {
      let made = try server.client.send("PUT", "/collections/\(collection)", json: #"{"ttl":1000}"#)
      #expect(made.status == 201)
    }
    let never =
      #"{"type":"Feature","id":1,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{},"expires":null}"#
    #expect(try server.client.send("POST", "/collections/c/items", json: never).status == 201)
    let url = ["--url", server.url]
    let sources = [url, ["--data", server.data.path]]
    for (number, source) in sources.enumerated() {
      let file = try TemporaryDirectory()
      try Tool(["export", "--collection", "c", "--output", file.file("a.ndjson")] + source)
        .expectSuccess()
      try Tool(["import", file.file("a.ndjson"), "--collection", "d"] + url).expectSuccess()
      let item = try server.json("/collections/d/items/1")
      #expect(item["expires"] == .null, "\(number): \(item.text)")
    }
    #expect(server.terminate() == 0)
  }

  @Test func aFileKeepsItsLinkAndItsRights() throws {
    let data = try imported(everything)
    let (path, link) = (files.file("own.geojsonl"), files.file("link"))
    try Fixtures.write(Array("before".utf8), path: path)
    #expect(chmod(path, 0o600) == 0 && symlink("own.geojsonl", link) == 0)
    #expect(try exported(data, ["--output", link]).contains("5 features"))
    #expect(try Fixtures.bytes(path: path) == Array(everything.utf8))
    var status = stat()
    #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    // Another name of standard output, to which nothing else is written then.
    for name in ["/dev/stdout", "/proc/self/fd/1"] {
      #expect(try exported(data, ["--output", name]) == everything)
    }
  }

  @Test func whatCanNotBePrintedIsAnError() throws {
    let data = try imported(everything)
    for arguments in [["--version"], ["completions", "bash"], ["check", "--data", data.path]] {
      let run = try Tool(arguments, launcher: ["/bin/sh", "-c", "exec \"$@\" >/dev/full", "sh"])
      #expect(run.exit == .code(1) && run.error.contains("standard output"), "\(arguments)")
    }
    // What is closed is nothing, and no file that is opened takes its place.
    for closed in ["0<&-", "2>&-", "0<&- 1>&- 2>&-"] {
      let launcher = ["/bin/sh", "-c", "exec \"$@\" \(closed)", "sh"]
      let run = try Tool(["check", "--data", data.path], launcher: launcher)
      #expect(run.exit == .code(0), "\(closed)")
      let none = try Tool(
        ["import", "-", "--format", "csv", "--collection", "d", "--data", data.path],
        launcher: launcher)
      #expect(none.exit == .code(1), "\(closed)")
      if !closed.contains("2>") { #expect(!none.error.contains("columns of"), "\(none.error)") }
    }
  }

  @Test func aFileHasItsNameOnceItIsComplete() throws {
    let data = try imported(everything)
    let path = try files.write("before", as: "out.geojsonl")
    try Tool(["export", "--collection", "d", "--data", data.path, "--output", path])
      .expectFailure(saying: "no collection d", data.path)
    #expect(try Fixtures.bytes(path: path) == Array("before".utf8))
    let said = try exported(data, ["--output", path])
    #expect(said.contains("5 features"))
    #expect(try Fixtures.bytes(path: path) == Array(everything.utf8))
    #expect(!files.names.contains { $0.hasSuffix(".new") })
    try Tool(["export", "--collection", "c", "--data", data.path, "--output", files.file("a/b")])
      .expectFailure(saying: files.file("a/b"))
    try Tool(["export", "--collection", "c", "--data", data.path, "--output", "/dev/full"])
      .expectFailure(saying: "/dev/full")
    try Tool(["export", "--collection", "c", "--data", data.path, "--output", "x.xml"])
      .expectFailure(2, saying: "--format")
    try Tool(["export", "--collection", "c", "--data", files.file("none")])
      .expectFailure(saying: files.file("none"))
    try Tool(["export", "--data", data.path]).expectFailure(2, saying: "--collection")
  }

  @Test func aServiceMayStartMeanwhile() throws {
    let data = try imported(everything)
    let pipe = files.file("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    // It opens the database, and then waits for a reader.
    let export = try ChildProcess(
      try #require(ServerBinary.path()),
      ["export", "--collection", "c", "--data", data.path, "--output", pipe])
    #expect(eventually { data.names.contains("pincluster.db-shm") })
    let server = try ServerProcess.ready(data: data)
    try server.store([TwinFeature(1, 1, 2), TwinFeature(50, 1, 2)], in: "c")
    #expect(try Fixtures.bytes(path: pipe) == Array(everything.utf8))
    #expect(export.waitForExit() == .code(0))
    #expect(server.terminate() == 0)
    #expect(try ServerProcess.ready(data: data).json("/collections/c")["featureCount"] == 6)
  }

  @Test func aServiceIsAskedForPageAfterPage() throws {
    let features = (0..<10_500).map { TwinFeature($0, Double($0 % 360) - 180, 2, "{\"n\":\($0)}") }
    let server = try ServerProcess.holding(features, in: "c")
    let url = server.url
    let asked = try Tool(["export", "--collection", "c", "--url", url]).expectSuccess()
    func sorted(_ text: String) -> [Substring] { text.split(separator: "\n").sorted() }
    #expect(sorted(asked.output).count == 10_500)
    #expect(sorted(asked.output) == sorted(try exported(server.data)))
    try Tool(["export", "--collection", "d", "--url", url]).expectFailure(saying: "404")
    #expect(try server.client.send("PUT", "/collections/empty", json: "{}").status == 201)
    let empty = try Tool(["export", "--collection", "empty", "--url", url]).expectSuccess()
    #expect(empty.output == "")
    server.expectHealthy()
  }

  @Test func aTableComesBack() throws {
    let table = """
      id,longitude,latitude,name,lon,n
      -5,1.5,2.5,"a, ""b""\n c",9,1
      7,-180,90,,,2.50
      x,0,-0.5,ä,,

      """.replacing("\n", with: "\r\n").replacing("\"\"\r\n", with: "\"\"\n")
    let data = try imported(table, "in.csv")
    let text = try exported(data, ["--format", "csv"])
    #expect(text == table)
    #expect(try exported(try imported(text, "again.csv"), ["--format", "csv"]) == table)
    let path = files.file("out.CSV")
    _ = try exported(data, ["--output", path])
    #expect(try Fixtures.bytes(path: path) == Array(table.utf8))
  }

  @Test func aTableOfNothingHasAHeader() throws {
    let data = try imported("id,lon,lat\n", "in.csv")
    let text = try exported(data, ["--format", "csv"])
    #expect(text == "id,longitude,latitude\r\n")
    #expect(try exported(try imported(text, "again.csv"), ["--format", "csv"]) == text)
  }

  /// Of random features a table gives back all but as many as the command says.
  @Test(arguments: Seeds.each(1...3)) func whatATableCannotHoldIsCounted(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let values = [
      "1", "-2.5e3", "0", "\"a\"", "\"\"", "\"12\"", "\" b \"", "\"x\\\"y\\\\\"", "\"\\u000a\"",
      "\"a,b\"", "null", "true", "[1]", "{\"a\":1}", "\"\u{FEFF}z\"", "\"-\"", "\"1e5\"",
    ]
    let names = ["a", "b c", "\\\"", " d", "id", "LON", "lat", "latitude", "ä", "x", ""]
    var text = ""
    for id in 1...200 {
      let members = names.shuffled(using: &generator).prefix(generator.int(0...3)).map {
        "\"\($0)\":\(generator.pick(values))"
      }
      var ends = "\"properties\":{\(members.joined(separator: ","))}"
      if generator.chance(0.05) { ends += ",\"expires\":\"2999-01-01T00:00:00Z\"" }
      let altitude = generator.chance(0.05) ? ",3" : ""
      text += line(
        "\(id)", "\(generator.int(-180...180)),\(generator.int(-90...90))\(altitude)", ends)
    }
    let data = try imported(text)
    let run = try Tool(["export", "--collection", "c", "--data", data.path, "--format", "csv"])
    #expect(run.exit == .code(0))
    let back = try exported(try imported(run.output, "back.csv"))
    func parsed(_ text: String) throws -> [TestJSON] {
      try text.split(separator: "\n").map { try TestJSON(parsing: String($0)) }
    }
    /// Without the order of properties.
    func plain(_ feature: TestJSON) -> [String] {
      guard case .object(let members) = feature else { return [] }
      return members.map { member in
        guard case .object(let inner) = member.value else { return member.value.text }
        return inner.map { "\($0.key) \($0.value.text)" }.sorted().joined(separator: "\n")
      }
    }
    let (before, after) = (try parsed(try exported(data)), try parsed(back))
    #expect(before.count == 200 && after.count == 200)
    let different = zip(before, after).count { plain($0) != plain($1) }
    #expect(different > 20 && different < 180)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("warning: \(different) features"), "\(different): \(run.error)")
  }

  @Test func tooManyColumnsAreRefused() throws {
    let names = (0...1000).map { "\"p\($0)\":1" }
    let data = try imported(line("1", "1,1", "\"properties\":{\(names.joined(separator: ","))}"))
    let path = files.file("wide.csv")
    try Tool(["export", "--collection", "c", "--data", data.path, "--output", path])
      .expectFailure(saying: "1000", "geojsonseq")
    #expect(files.names.allSatisfy { !$0.hasPrefix("wide") })
    #expect(try exported(data).contains("p1000"))
  }
}
