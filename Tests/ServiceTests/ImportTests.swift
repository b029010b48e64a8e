import Glibc
import TestSupport
import Testing

/// `pincluster import`: every way in, and what is said of bad rows.
@Suite(.timeLimit(.minutes(5))) struct ImportTests {
  private let room: ImportRoom
  private var data: TemporaryDirectory { room.data }
  private var files: TemporaryDirectory { room.files }

  init() throws { room = try ImportRoom() }

  /// Imports text as a file of this name into the collection `c`.
  private func load(_ name: String, _ text: String, _ further: String...) throws -> Tool {
    let path = try files.write(text, as: name)
    return try Tool(["import", path, "--collection", "c", "--data", data.path] + further)
  }

  @Test func everyFormatByItsName() throws {
    let (a, b) = (TwinFeature(1, 1.5, 2.5, "{\"n\":\"a\"}"), TwinFeature(2, 3, 4, "{\"n\":\"b\"}"))
    let expected = ["1": "[1.5,2.5]{\"n\":\"a\"}", "2": "[3,4]{\"n\":\"b\"}"]
    for (name, text) in [
      ("a.geojson", [a, b].featureCollection), ("a.json", [a, b].featureCollection),
      ("a.ndjson", a.geoJSON + "\n" + b.geoJSON + "\n"),
      ("a.geojsonl", a.geoJSON + "\n" + b.geoJSON),
      ("a.geojsons", "\u{1E}\(a.geoJSON)\n\u{1E}\(b.geoJSON)\n"),
      ("A.CSV", "id,lon,lat,n\n1,1.5,2.5,a\n2,3,4,b\n"),
    ] {
      let run = try load(name, text).expectSuccess()
      #expect(run.output.split(separator: "\n").count == 1, "\(run.output)")
      #expect(run.output.contains("0 rejected"), "\(run.output)")
      #expect(try room.storedByID() == expected, "\(name)")
    }
  }

  @Test func `one of several lists in a document is named`() throws {
    let text =
      #"{"a":[{"id":1,"p":{"lat":2.5,"lng":1.5,"n":"a"}}],"b":[{"id":2,"lat":1,"lng":3}]}"#
    try load("a.json", text).expectFailure(saying: "layer names the one", "\"/a\", \"/b\"")
    try load("a.json", text, "--layer", "/a").expectSuccess()
    #expect(try room.storedByID() == ["1": #"[1.5,2.5]{"p":{"n":"a"}}"#])
    try load("a.json", #"{"type":"Topology","objects":{}}"#)
      .expectFailure(saying: "--format gdal")
  }

  @Test func theUsualSpellingsOfCSV() throws {
    for (x, y) in [
      ("lon", "lat"), ("lng", "LAT"), ("Long", "Latitude"), ("LONGITUDE", "latitude"), ("x", "y"),
    ] {
      try load("a.csv", "\(y),id,\(x)\n2.5,1,1.5\n").expectSuccess()
      #expect(try room.storedByID() == ["1": "[1.5,2.5]{}"], "\(x) \(y)")
    }
  }

  @Test func byteOrderMarkCRLFAndQuotes() throws {
    try load(
      "a.csv",
      "\u{FEFF}id,lon,lat,\"the \"\"name\"\"\",note,empty\r\n"
        + "1,1.5,2.5,\"comma, \"\"quote\"\"\r\nand line\",12e4,\r\n\"007\",\"3\",4,x,007,\r\n"
    ).expectSuccess()
    #expect(
      try room.storedByID() == [
        "\"1\"": #"[1.5,2.5]{"the \"name\"":"comma, \"quote\"\u000d\u000aand line","note":"12e4"}"#,
        "\"007\"": #"[3,4]{"the \"name\"":"x","note":"007"}"#,
      ])
  }

  @Test func fromStandardInput() throws {
    try Tool(
      ["import", "-", "--format", "csv", "--collection", "c", "--data", data.path],
      input: "id,lon,lat\n1,1.5,2.5\n"
    ).expectSuccess()
    #expect(try room.storedByID() == ["1": "[1.5,2.5]{}"])
  }

  @Test func badRowsAreNamedAndNothingIsChanged() throws {
    try load("a.csv", "id,lon,lat\n1,1.5,2.5\n").expectSuccess()
    let before = try room.storedByID()
    let text = "id,lon,lat\n1,9,9\n2,,3\n3,200,1\n4,1\n5,13.4,113.4\n6,a,b\n7,1e999,1\n8,1,1\n"
    let run = try load("b.csv", text)
    #expect(run.exit == .code(1))
    #expect(run.output == "")
    // One line a bad row, by its number in the file, and one for the whole.
    let lines = run.errorLines
    #expect(lines.count == 7, "\(run.error)")
    for (line, number) in zip(lines, [3, 4, 5, 6, 7, 8]) {
      #expect(line.hasPrefix("pincluster: /lines/\(number): "), "\(line)")
    }
    #expect(lines[3].contains("swapped"), "\(lines[3])")
    #expect(lines[6].contains("6 bad features") && lines[6].contains("nothing"), "\(lines[6])")
    #expect(try room.storedByID() == before)

    let skipping = try load("b.csv", text, "--on-error", "skip")
    #expect(skipping.exit == .code(0), "\(skipping.error)")
    #expect(skipping.errorLines.count == 6, "\(skipping.error)")
    #expect(skipping.output.contains("1 inserted, 1 updated, 6 rejected"), "\(skipping.output)")
    #expect(try room.storedByID() == ["1": "[9,9]{}", "8": "[1,1]{}"])
  }

  @Test func ofManyBadRowsTheFirstHundredAreNamed() throws {
    let rows = (1...250).map { "\($0),13.4,113.4\n" }.joined()
    let run = try load("a.csv", "id,lon,lat\n" + rows)
    #expect(run.exit == .code(1))
    #expect(run.errorLines.count == 102, "\(run.error)")
    #expect(run.error.contains("150 more"))
    #expect(try room.storedByID() == [:])
  }

  @Test func badFeaturesOfGeoJSONAreNamed() throws {
    let good = TwinFeature(1, 1, 2).geoJSON
    let bad = "{\"type\":\"Feature\",\"geometry\":null,\"properties\":{}}"
    let run = try load(
      "a.geojson", "{\"type\":\"FeatureCollection\",\"features\":[\(good),\(bad),\(good),\(bad)]}")
    #expect(run.exit == .code(1))
    #expect(
      run.errorLines.map { $0.prefix(24) } == [
        "pincluster: /features/1:", "pincluster: /features/3:", "pincluster: 2 bad featur",
      ])
    #expect(try room.storedByID() == [:])
  }

  @Test func `bad rows of standard input are named, to a service too`() throws {
    let server = try ServerProcess.ready()
    let url = ["--url", server.url]
    for way in [["--data", data.path], url] {
      let run = try Tool(
        ["import", "-", "--format", "csv", "--collection", "c"] + way,
        input: "id,lat,lon\n1,1,1\n2,x,1\n")
      #expect(run.exit == .code(1) && run.output == "")
      #expect(run.errorLines.count == 2, "\(run.error)")
      #expect(
        run.error.hasPrefix("pincluster: /lines/3: ") && run.error.contains("\"lat\""),
        "\(run.error)")
      #expect(
        run.error.contains("pincluster: 1 bad feature; nothing was changed"),
        "\(run.error)")
    }
    // Of a long one, batches have gone before.
    let rows = (1...40_000).map { "\($0),1,1\n" }.joined()
    let own = try Tool(
      ["import", "-", "--format", "csv", "--collection", "c", "--data", data.path],
      input: "id,lat,lon\n\(rows)0,x,1\n")
    #expect(own.error.contains("pincluster: 1 bad feature; nothing was changed"), "\(own.error)")
    #expect(try room.storedByID() == [:])
    let run = try Tool(
      ["import", "-", "--format", "csv", "--collection", "c"] + url,
      input: "id,lat,lon\n\(rows)0,x,1\n")
    #expect(
      run.exit == .code(1) && run.errorLines.first?.contains("/lines/40002: ") == true,
      "\(run.error)")
    let count = try server.json("/collections/c")["featureCount"]?.int ?? 0
    #expect(
      count >= 10_000 && run.error.contains("; \(count) good features were stored"), "\(run.error)")
    #expect(server.terminate() == 0)
  }

  @Test func `the last lines say what was assumed`() throws {
    func text(_ features: String) -> String {
      #"{"type":"FeatureCollection","crs":{"type":"name","properties":{"name":"EPSG:4258"}},"features":[\#(features)]}"#
    }
    let run = try load("a.geojson", text(TwinFeature(1, 1, 2).geoJSON)).expectSuccess()
    let lines = run.output.split(separator: "\n")
    #expect(
      lines.count == 2 && lines[1].hasPrefix("note: the coordinates are in ETRS89"), "\(run.output)"
    )
    let bad = try load("a.geojson", text("{}"))
    #expect(bad.exit == .code(1))
    #expect(bad.error.contains("pincluster: note: the coordinates are in ETRS89"), "\(bad.error)")
  }

  @Test func whatCannotBeReadIsOneLine() throws {
    try Tool(["import", files.file("none.csv"), "--collection", "c", "--data", data.path])
      .expectFailure(saying: "none.csv")
    try Tool(["import", files.path, "--format", "csv", "--collection", "c", "--data", data.path])
      .expectFailure(saying: files.path)
    let feature = TwinFeature(1, 1, 2).geoJSON
    for (name, text) in [
      ("a.geojson", "{\"type\":\"FeatureCollection\",\"features\":[\(feature)"), ("b.geojson", ""),
      ("c.geojson", "[1,2]"), ("d.geojson", "{\"type\":\"Topology\"}"), ("e.csv", ""),
      ("f.csv", "id,name\n1,a\n"), ("g.csv", "id,lon,lat,lat\n1,1,1,1\n"),
      ("h.geojson", String(repeating: "[", count: 100_000)),
    ] {
      try load(name, text).expectFailure(saying: name)
    }
    #expect(try room.storedByID() == [:])
  }

  @Test func overHTTP() throws {
    let server = try ServerProcess.ready()
    let url = server.url
    let features = (1...12_345).map { TwinFeature($0, Double($0 % 180), 1, "{\"n\":\($0)}") }
    let path = try files.write(features.featureCollection, as: "a.geojson")
    for (inserted, updated) in [(12_345, 0), (0, 12_345)] {
      let run = try Tool(["import", path, "--collection", "c", "--url", url + "/"]).expectSuccess()
      #expect(run.output.contains("\(inserted) inserted, \(updated) updated"), "\(run.output)")
    }
    let page = try server.json("/collections/c/items?limit=0")
    #expect(page["numberMatched"]?.int == features.count)

    // A bad row is found before anything is sent.
    let bad = try files.write("id,lon,lat\n99999,1,1\n2,2,200\n", as: "bad.csv")
    let run = try Tool(["import", bad, "--collection", "c", "--url", url])
    #expect(run.exit == .code(1))
    #expect(run.errorLines.count == 2 && run.error.contains("/lines/3"), "\(run.error)")
    #expect(try server.client.get("/collections/c/items/99999").status == 404)
    let skip = try Tool(["import", bad, "--collection", "c", "--url", url, "--on-error", "skip"])
    #expect(skip.exit == .code(0), "\(skip.error)")
    #expect(try server.client.get("/collections/c/items/99999").status == 200)
    #expect(server.terminate() == 0)
    try Tool(["import", path, "--collection", "c", "--url", url]).expectFailure(saying: url)
    try Tool(["import", path, "--collection", "c", "--url", "ftp://a"]).expectFailure(
      2, saying: "ftp")
  }

  @Test func `batches are halved for a service that takes smaller bodies`() throws {
    let server = try ServerProcess.ready(arguments: ["--max-body-bytes", "3000"])
    let url = ["--collection", "c", "--url", server.url]
    let features = (1...777).map { TwinFeature($0, Double($0 % 180), 1, "{\"n\":\($0)}") }
    let path = try files.write(features.featureCollection, as: "a.geojson")
    let run = try Tool(["import", path] + url).expectSuccess()
    #expect(run.output.contains("777 inserted, 0 updated"), "\(run.output)")
    // One that is too large by itself comes behind others.
    let long = TwinFeature(778, 1, 1, "{\"n\":\"\(String(repeating: "x", count: 4000))\"}")
    let more = features + [TwinFeature(900, 1, 1), long]
    try files.write(more.featureCollection, as: "a.geojson")
    let refused = try Tool(["import", path] + url)
    refused.expectFailure(saying: "413", "778 features were stored before that")
    #expect(try server.json("/collections/c/items?limit=0")["numberMatched"]?.int == 778)
  }

  @Test func `ids that are made up over HTTP are none of the file`() throws {
    let server = try ServerProcess.ready()
    let url = ["--collection", "c", "--url", server.url]
    // The one with an id is in the second batch.
    let rows = (0..<30_000).map { ",50,10,row\($0)" } + ["5,51,11,last", ",51,11,end"]
    let text = "id,lat,lon,n\n" + rows.joined(separator: "\n") + "\n"
    let path = try files.write(text, as: "mixed.csv")
    let run = try Tool(["import", path] + url).expectSuccess()
    #expect(run.output.contains("30002 inserted, 0 updated"), "\(run.output)")
    #expect(try server.json("/collections/c/items?limit=0")["numberMatched"]?.int == 30_002)
    #expect(try server.json("/collections/c/items/5")["properties"]?["n"]?.string == "last")
    // Nothing is nothing, too.
    let empty = try files.write(#"{"type":"FeatureCollection","features":[]}"#, as: "empty.geojson")
    let none = try Tool(["import", empty] + url).expectSuccess()
    #expect(none.output.contains("0 inserted, 0 updated"), "\(none.output)")
    // What can be read only once ends before it overwrites anything.
    let other = ["--collection", "d", "--url", server.url]
    try Tool(["import", "-", "--format", "csv"] + other, input: text)
      .expectFailure(saying: "the id 5", "stored before that")
    #expect(try server.json("/collections/d/items/5")["properties"]?["n"]?.string == "row4")
  }

  @Test func `a bad byte in a table in UTF-8 is that of one row`() throws {
    for (mark, name) in [("\u{FEFF}", "Cafe"), ("", "Café")] {
      let text = Array("\(mark)id,name,lat,lon\n1,\(name),52.5,13.4\n2,b ".utf8)
      let path = try files.write(text + [0xFF] + Array(",52,13\n".utf8), as: "a.csv")
      let server = try ServerProcess.ready()
      let run = try Tool([
        "import", path, "--collection", "c", "--on-error", "skip", "--url",
        server.url,
      ])
      #expect(run.exit == .code(0))
      #expect(run.output.contains("1 inserted, 0 updated, 1 rejected"), "\(run.output)")
      let page = try server.json("/collections/c/items")
      #expect(page["features"]?.array?.first?["properties"]?["name"]?.string == name)
    }
  }

  @Test func aPropertyOfIDsThatNoFeatureHas() throws {
    let table = "name,lon,lat,note\na,1,2,x\nb,3,4,\n"
    let flags = ["--id-property", "typo"]
    try load("a.csv", table, "--id-property", "typo").expectFailure(saying: "typo", "nothing")
    try load("a.csv", table, "--id-property", "typo", "--on-error", "skip")
      .expectFailure(saying: "typo")
    #expect(try room.storedByID() == [:])
    let server = try ServerProcess.ready()
    let url = ["--collection", "c", "--url", server.url]
    try Tool(["import", files.file("a.csv")] + url + flags).expectFailure(saying: "typo")
    try Tool(["import", "-", "--format", "csv"] + url + flags, input: table)
      .expectFailure(saying: "typo")
    #expect(try server.client.get("/collections/c").status == 404)
    // Where some have it, the others get the next integers, as over HTTP.
    try load("a.csv", table, "--id-property", "note").expectSuccess()
    #expect(try room.storedByID().keys.sorted() == ["\"x\"", "1"])
  }

  /// Interrupts an import once it has read a part of its input; its exit code and what it says.
  private func interrupt(_ flags: [String], once isReady: () -> Bool) throws -> (Int32?, String) {
    let pipe = files.file("pipe")
    unlink(pipe)
    try #require(mkfifo(pipe, 0o600) == 0)
    let descriptor = open(pipe, O_RDWR)
    defer { close(descriptor) }
    let binary = try #require(ServerBinary.path())
    let process = try ChildProcess(
      binary, ["import", "-", "--format", "csv", "--collection", "c"] + flags, input: pipe)
    // More than is looked at before the first row is stored.
    let row = Array("1,2,\(String(repeating: "x", count: 4000))\n".utf8)
    let rows = Array("lon,lat,n\n".utf8) + (0..<17_000).flatMap { _ in row }
    try #require(write(descriptor, rows, rows.count) == rows.count)
    let hasBegun = eventually(isReady)
    #expect(hasBegun)
    process.signal(SIGINT)
    guard case .code(let code)? = process.waitForExit() else { return (nil, process.standardError) }
    return (code, process.standardError)
  }

  @Test func anInterruptedImportSaysWhatIsStored() throws {
    let wal = data.file("pincluster.db-wal")
    let (code, text) = try interrupt(["--data", data.path]) { access(wal, F_OK) == 0 }
    #expect(code == 130)
    #expect(text == "pincluster: interrupted; nothing was stored\n")
    #expect(try room.storedByID() == [:])
    let server = try ServerProcess.ready()
    let url = server.url
    let (other, said) = try interrupt(["--url", url]) {
      (try? server.client.get("/collections/c"))?.status == 200
    }
    #expect(other == 130)
    let count = try server.json("/collections/c")["featureCount"]?.int ?? 0
    #expect(count >= 1000)
    #expect(said == "pincluster: interrupted; \(count) features were stored\n")
  }
}
