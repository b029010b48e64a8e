import TestSupport
import Testing

/// Features in bodies whose type says little, and in forms.
@Suite(.timeLimit(.minutes(10))) struct BodyTypeTests {
  private let items = "/collections/c/items?onError=skip"
  private static let table = "id,lon,lat,n\n1,1.5,2.5,a\n2,3,4,b\n"
  private static let lines = [
    TwinFeature(1, 1.5, 2.5, #"{"n":"a"}"#), TwinFeature(2, 3, 4, #"{"n":"b"}"#),
  ]
  private static let formats = [
    table, "\u{FEFF}" + table, lines.featureCollection, "\u{FEFF} \n" + lines.featureCollection,
    lines.featureCollection.replacing(",", with: ",\n").replacing("{", with: "{\n"),
    lines.map(\.geoJSON).joined(separator: "\n"),
    lines.map(\.geoJSON).joined(separator: "\r\n\r\n") + "\n",
    lines.map { "\u{1E}\($0.geoJSON)\n" }.joined(),
  ]

  private func form(_ parts: [(head: String, content: String)], boundary: String = "----x7")
    -> String
  {
    parts.map { "--\(boundary)\r\n\($0.head)\r\n\r\n\($0.content)\r\n" }.joined()
      + "--\(boundary)--\r\n"
  }

  private func disposition(_ name: String?, _ type: String? = nil) -> String {
    "Content-Disposition: form-data; name=\"file\"" + (name.map { "; filename=\"\($0)\"" } ?? "")
      + (type.map { "\r\ncontent-type: \($0)" } ?? "")
  }

  private func expectBoth(_ answer: Answer, _ comment: String) {
    answer.expect(200)
    #expect(
      answer["ids"]?.text == "[1,2]" && answer["rejected"]?.int == 0, "\(comment) \(answer.text)")
  }

  @Test(arguments: [
    "application/vnd.ms-excel", "application/octet-stream",
    "Application/Octet-Stream; charset=utf-8",
  ])
  func `what a body is its beginning tells`(_ type: String) async throws {
    let service = try Service()
    for text in Self.formats {
      expectBoth(await service.post(items, text, type: type), text)
    }
    let single = await service.post(items, Self.lines[0].geoJSON, type: type)
    single.expect(200)
    #expect(single["updated"]?.int == 1)
    for (text, word) in [
      ("PK\u{3}\u{4}\u{14}", "Excel"), ("SQLite format 3\u{0}", "GeoPackage"), ("PAR1", "Parquet"),
      ("fgb\u{3}", "FlatGeobuf"), ("<?xml version=\"1.0\"?><kml/>", "KML"),
    ] {
      let refused = await service.post(items, text, type: type)
      refused.expectProblem(415)
      #expect(
        refused.text.contains(word) && refused.text.contains("pincluster import"), "\(refused.text)"
      )
    }
    (await service.post(items, "", type: type)).expectProblem(422)
  }

  @Test func `a table with tabs has a type`() async throws {
    let service = try Service()
    for type in ["text/tab-separated-values", "Text/Tab-Separated-Values; charset=utf-8"] {
      let answer = await service.post(items, "id\tlat\tlon\tname\n1\t2\t3\ta,b\n", type: type)
      answer.expect(200)
      #expect(answer["ids"]?.text == "[1]" && answer["notes"] == nil, "\(answer.text)")
    }
    // Tabs are what the type says.
    let commas = await service.post(
      items, "name,lat,lon\na,1,2\n", type: "text/tab-separated-values")
    commas.expectProblem(422)
    (await service.post(
      "\(items)&separator=,", "name,lat,lon\na,1,2\n", type: "text/tab-separated-values"))
      .expect(200)
  }

  @Test func `one file of a form`() async throws {
    let service = try Service()
    for (boundary, field) in [
      ("----x7", "multipart/form-data; boundary=----x7"),
      ("a b", "Multipart/Form-Data; charset=utf-8; Boundary=\"a b\""),
      (
        String(repeating: "x", count: 70),
        "multipart/form-data;boundary=" + String(repeating: "x", count: 70)
      ),
    ] {
      for text in Self.formats {
        for head in [
          disposition("a.txt"), disposition(nil), disposition("a.bin", "application/octet-stream"),
          "X: y",
        ] {
          let body = form([(head, text)], boundary: boundary)
          expectBoth(await service.post(items, body, type: field), "\(head) \(text)")
          // A preamble, an epilogue, and lines without carriage returns.
          let other = "before\n" + body.replacing("\r\n", with: "\n") + "after"
          expectBoth(await service.post(items, other, type: field), "\(head) \(text)")
        }
      }
    }
    // Types and names tell more than the beginning.
    let one = Self.lines[0].geoJSON
    for (head, status) in [
      (disposition("a.json", "application/x-ndjson"), 200), (disposition("a.ndjson"), 200),
      (disposition("a.geojson"), 201), (disposition("a.csv"), 422),
      (disposition("a.json", "text/csv"), 422),
      (disposition("a.csv", "application/geo+json"), 201),
    ] {
      let fresh = try Service()
      let answer = await fresh.post(
        items, form([(head, one)]), type: "multipart/form-data; boundary=----x7")
      #expect(answer.status == status, "\(head) \(answer.text)")
    }
  }

  @Test func `the bytes of a file are its own`() async throws {
    let service = try Service()
    var random = SeededGenerator(seed: 31)
    let pieces = [
      "\r\n", "\n", "\r", "--", "----x7", "\r\n----x7", "\r\n------x7y", "-", " ", "a",
      "\r\n------x",
    ]
    for _ in 0..<300 {
      let text =
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
          pieces.randomElement(using: &random) ?? ""
        }
        .joined() + "."
      // No sender takes a boundary that is a line of the file.
      let lines = text.utf8.split(separator: 0x0A).map { line in
        String(decoding: line.filter { $0 != 0x0D && $0 != 0x20 }, as: UTF8.self)
      }
      if lines.contains("------x7") || lines.contains("------x7--") { continue }
      let table = "id,lon,lat,t\n1,1,2,\"\(text)\""
      let body = form([(disposition("a.csv"), table)])
      let answer = await service.post(items, body, type: "multipart/form-data; boundary=----x7")
      answer.expect(200)
      let stored = await service.get("/collections/c/items/1")
      #expect(stored["properties"]?["t"]?.string == text, "\(text)")
    }
  }

  @Test func `a part of a form names its charset`() async throws {
    let service = try Service()
    let type = "multipart/form-data; boundary=----x7"
    func body(_ charset: String) -> String {
      let head = disposition("a.csv", "text/csv; charset=\(charset)")
      // "東京" in ISO-2022-JP
      return form([(head, "id,lon,lat,t\n1,1,2,\u{1B}$BEl5~\u{1B}(B")])
    }
    (await service.post(items, body("iso-2022-jp"), type: type)).expect(200)
    let stored = await service.get("/collections/c/items/1")
    #expect(stored["properties"]?["t"]?.string == "東京")
    (await service.post(items + "&encoding=iso-2022-jp", body("nope"), type: type)).expect(200)
    let refused = await service.post(items, body("nope"), type: type)
    refused.expectProblem(415)
    #expect(refused["detail"]?.string?.contains("nope") == true)
  }

  @Test func `what is no form of one file is refused`() async throws {
    let service = try Service()
    let part = (head: disposition("a.csv"), content: Self.table)
    let whole = form([part])
    let type = "multipart/form-data; boundary=----x7"
    for (body, type, status, word) in [
      (form([part, part]), type, 400, "several parts"),
      (form([part, (disposition(nil), "skip")]), type, 400, "query"),
      (form([]), type, 400, "no file"), (String(whole.dropLast(6)), type, 400, "ends within"),
      ("------x7\r\nhead\r\n------x7--", type, 400, "no empty line"),
      (form([(String(repeating: "a", count: 9000), "")]), type, 400, "no empty line"),
      (Self.table, type, 415, "no line is its boundary"),
      (whole, "multipart/form-data", 415, "boundary"),
      (whole, "multipart/form-data; boundary=", 415, "boundary"),
      (whole, "multipart/form-data; boundary=other", 415, "boundary"),
      (
        whole, "multipart/form-data; boundary=" + String(repeating: "x", count: 71), 415, "boundary"
      ),
      (whole, "multipart/mixed; boundary=----x7", 415, "not understood"),
      (whole, "text/plain", 415, "not understood"),
      (form([(disposition("a.xlsx"), "PK\u{3}\u{4}")]), type, 415, "Excel"),
    ] {
      let answer = await service.post(items, body, type: type)
      answer.expectProblem(status)
      #expect(answer.text.contains(word), "\(answer.text)")
    }
    (await service.get("/collections/c")).expectProblem(404)
  }
}
