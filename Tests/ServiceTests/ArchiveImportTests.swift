import Glibc
import TestSupport
import Testing

/// `pincluster import` of files in a zip archive.
@Suite(.timeLimit(.minutes(5))) struct ArchiveImportTests {
  private let room: ImportRoom

  init() throws { room = try ImportRoom() }

  /// Makes an archive of files, by Python's zipfile.
  private func archive(
    _ name: String, method: String = "ZIP_DEFLATED", _ files: KeyValuePairs<String, String>
  ) throws -> String {
    let path = room.files.file(name)
    let script = """
      import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1], "w", zipfile.\(method))
      for name, file in zip(sys.argv[2::2], sys.argv[3::2]):
          archive.writestr(name, open(file, "rb").read())
      """
    var arguments = ["-c", script, path]
    for (number, (name, text)) in files.enumerated() {
      let file = try room.files.write(text, as: "member\(number)")
      arguments += [name, file]
    }
    try ChildProcess.succeed("/usr/bin/python3", arguments)
    return path
  }

  @Test func `a file in one of our formats is read as by itself`() throws {
    let feature =
      #"{"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[1.10,2]},"properties":{"o":{"x":[1,null]}}}"#
    for method in ["ZIP_DEFLATED", "ZIP_STORED"] {
      for (name, text, stored) in [
        ("a/b/t.csv", "id,lon,lat,n\n007,1.5,2.5,1\n8,3,4,\n", [#"[1.5,2.5]{"n":1}"#, "[3,4]{}"]),
        ("T.TSV", "id\tlon\tlat\tn\n1\t1.5\t2.5\ta\n", [#"[1.5,2.5]{"n":"a"}"#]),
        ("t.txt", "id;lon;lat\n1;1,5;2,5\n", ["[1.5,2.5]{}"]),
        ("t.ndjson", feature, [#"[1.1,2]{"o":{"x":[1,null]}}"#]),
        (
          "t.geojson", #"{"type":"FeatureCollection","features":[\#(feature)]}"#,
          [#"[1.1,2]{"o":{"x":[1,null]}}"#]
        ),
      ] {
        let room = try ImportRoom()
        let path = try archive(
          "x.ZIP", method: method,
          ["a/": "", "__MACOSX/a/._t.csv": "x", name: text, "a/.hidden.csv": "y"])
        let run = try room.load(path).expectSuccess()
        #expect(try room.stored() == stored, "\(name) \(method) \(run.output)")
      }
    }
  }

  @Test func `a large table is read twice where its end contradicts its beginning`() throws {
    let rows = (1...120_000).map { "\($0),\($0 % 180),1,\($0 < 119_000 ? "5" : "x")\n" }
    let path = try archive("x.zip", ["t.csv": "id,lon,lat,v\n" + rows.joined()])
    let run = try room.load(path).expectSuccess()
    #expect(run.output.contains("120000 inserted"), "\(run.output)")
    let server = try ServerProcess.ready(data: room.data)
    #expect(try server.json("/collections/c/items/1")["properties"]?.text == #"{"v":"5"}"#)
    #expect(server.terminate() == 0)
  }

  @Test func `a file is chosen where there are several`() throws {
    let stops = "stop_id,stop_lat,stop_lon\nS1,1,2\n"
    let path = try archive(
      "gtfs.zip", ["agency.txt": "agency_id\n1\n", "stops.txt": stops, "in/a.b.txt": stops])
    try room.load(path).expectFailure(saying: "--layer", "agency.txt, stops.txt, in/a.b.txt")
    try room.load(path, "--layer", "none").expectFailure(saying: "no layer none", "agency.txt")
    for layer in ["stops", "stops.txt", "in/a.b.txt", "a.b.txt", "a.b"] {
      let run = try room.load(path, "--layer", layer, "--id-property", "stop_id").expectSuccess()
      #expect(try room.stored() == [#"[2,1]{"stop_id":"S1"}"#], "\(run.output)")
    }
    // A text beside a table describes it.
    let described = try archive("b.zip", ["README.txt": "see below", "stops.csv": stops])
    try room.load(described).expectSuccess()
    try room.load(described, "--layer", "README").expectFailure(saying: "b.zip")
    // Of a format that is said.
    let other = try archive("c.zip", ["data": "id,lon,lat\n9,1,1\n"])
    try room.load(other, "--format", "csv").expectSuccess()
    try room.load(other, "--format", "csv", "--points", "centroid").expectFailure(saying: "CSV")
    let both = try archive("d.zip", ["a.csv": "id,lon,lat\n10,1,1\n", "a.json": "{}"])
    try room.load(both).expectFailure(saying: "--layer", "a.csv, a.json")
    try room.load(both, "--format", "csv").expectSuccess()
    try room.load(both, "--layer", "a.csv").expectSuccess()
  }

  @Test func `what is damaged stores nothing`() throws {
    let text = "id,lon,lat\n" + (1...5000).map { "\($0),\($0 % 180),1\n" }.joined()
    for method in ["ZIP_DEFLATED", "ZIP_STORED"] {
      let path = try archive("x.zip", method: method, ["t.csv": text])
      let bytes = try Fixtures.bytes(path: path)
      // A bit of the contents, of the checksum in the directory, and of the mark before the file.
      let directory = try #require(bytes.firstRange(of: [0x50, 0x4B, 1, 2])).lowerBound
      for place in [bytes.count / 2, directory + 16, 0, directory + 42] {
        var damaged = bytes
        damaged[place] ^= 1
        try Fixtures.write(damaged, path: path)
        try room.load(path, "--on-error", "skip").expectFailure(
          saying: "x.zip cannot be read", "t.csv")
      }
      try Fixtures.write(Array(bytes.prefix(bytes.count - 30)), path: path)
      #expect(try room.load(path).exit == .code(1))
      // Sizes that aren't those of the file.
      for (place, value) in [
        (directory + 20, UInt8(0)), (directory + 24, 0), (directory + 23, 0x7F),
      ] {
        var damaged = bytes
        damaged[place] = value
        try Fixtures.write(damaged, path: path)
        try room.load(path, "--on-error", "skip").expectFailure(
          saying: "x.zip cannot be read", "t.csv")
      }
    }
    #expect(try room.stored() == [])
    try room.files.write("PK", as: "x.zip")
    #expect(try room.load(room.files.file("x.zip")).exit == .code(1))
  }

  @Test func `to a service, after it was checked`() throws {
    let server = try ServerProcess.ready()
    let path = try archive("x.zip", ["t.csv": "id,lon,lat\n1,1,1\n2,2,2\n"])
    try Tool(["import", path, "--collection", "c", "--url", server.url]).expectSuccess()
    #expect(try server.json("/collections/c")["featureCount"]?.int == 2)
    #expect(server.terminate() == 0)
  }
}
