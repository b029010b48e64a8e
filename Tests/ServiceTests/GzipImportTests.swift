import CDeflate
import Glibc
import TestSupport
import Testing

/// `pincluster import` of files in gzip.
@Suite(.timeLimit(.minutes(5))) struct GzipImportTests {
  private let room: ImportRoom

  init() throws { room = try ImportRoom() }

  private static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    let compressor = try #require(libdeflate_alloc_compressor(6))
    defer { libdeflate_free_compressor(compressor) }
    var output = [UInt8](
      repeating: 0, count: libdeflate_gzip_compress_bound(compressor, bytes.count))
    let count = libdeflate_gzip_compress(compressor, bytes, bytes.count, &output, output.count)
    return Array(output[..<count])
  }

  private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = try room.files.write(bytes, as: name)
    return path
  }

  @Test func `every format of ours, from a file and from standard input`() throws {
    let features = [
      TwinFeature(1, 1.5, 2.5, "{\"n\":\"a\"}"), TwinFeature(2, 3, 4, "{\"n\":\"b\"}"),
    ]
    for (name, format, text) in [
      ("a.geojson.gz", "geojson", features.featureCollection),
      ("A.JSON.GZ", "geojson", features.featureCollection),
      ("a.ndjson.gz", "geojsonseq", features.map(\.geoJSON).joined(separator: "\n")),
      ("a.csv.gz", "csv", "id,lon,lat,n\n1,1.5,2.5,a\n2,3,4,b\n"),
      ("a.csv", "csv", "id,lon,lat,n\n1,1.5,2.5,a\n2,3,4,b\n"),
    ] {
      let path = try file(name, try Self.gzip(Array(text.utf8)))
      for run in [try room.load(path), try room.pipe(path, "--format", format)] {
        run.expectSuccess()
        #expect(run.output.contains("0 rejected"), "\(name) \(run.output)")
        #expect(try room.stored() == ["[1.5,2.5]{\"n\":\"a\"}", "[3,4]{\"n\":\"b\"}"], "\(name)")
      }
    }
  }

  @Test func `members that follow each other are one text, and a large one comes in parts`() throws
  {
    let rows = (1...200_000).map { "\($0),\($0 % 180),1\n" }
    let (first, rest) = (rows[..<70_000].joined(), rows[70_000...].joined())
    let bytes =
      try Self.gzip(Array(("id,lon,lat\n" + first).utf8)) + Self.gzip([])
      + Self.gzip(Array(rest.utf8))
    for padding in [0, 1, 5000] {
      let path = try file("a.csv.gz", bytes + Array(repeating: 0, count: padding))
      let run = try room.load(path).expectSuccess()
      #expect(
        run.output.contains(padding == 0 ? "200000 inserted" : "200000 updated"), "\(run.output)")
    }
  }

  @Test func `what is damaged stores nothing`() throws {
    let bytes = try Self.gzip(Array("id,lon,lat\n1,1,1\n2,2,2\n".utf8))
    var wrong = bytes
    wrong[bytes.count - 6] ^= 1  // the checksum
    for (damaged, word) in [
      (Array(bytes.dropLast()), "ends too early"), (Array(bytes.prefix(3)), "ends too early"),
      (bytes + [1, 2, 3], "gzip"), (bytes + [0, 1], "follows its end"), (wrong, "gzip"),
    ] {
      let path = try file("a.csv.gz", damaged)
      try room.load(path).expectFailure(saying: path, word)
      try room.pipe(path, "--format", "csv").expectFailure(saying: word)
    }
    // What only looks like it is what it says it is.
    try room.load(try file("b.csv.gz", Array("id,lon,lat\n1,1,1\n".utf8))).expectSuccess()
    try room.load(try file("c.csv", [0x1F, 0x8B])).expectFailure(saying: "c.csv")
    #expect(try room.stored() == ["[1,1]{}"])
  }

  @Test func `to a service, after it was checked`() throws {
    let server = try ServerProcess.ready()
    let url = ["--collection", "c", "--url", server.url]
    let path = try file("a.csv.gz", try Self.gzip(Array("id,lon,lat\n1,1,1\n2,2,2\n".utf8)))
    try Tool(["import", path] + url).expectSuccess()
    #expect(try server.json("/collections/c")["featureCount"]?.int == 2)
    let bad = try file("bad.csv.gz", try Self.gzip(Array("id,lon,lat\n7,1,1\n8,2,200\n".utf8)))
    let run = try Tool(["import", bad] + url)
    #expect(run.exit == .code(1) && run.error.contains("/lines/3"), "\(run.error)")
    #expect(try server.json("/collections/c")["featureCount"]?.int == 2)
    #expect(server.terminate() == 0)
  }
}
