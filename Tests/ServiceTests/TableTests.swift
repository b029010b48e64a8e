import TestSupport
import Testing

/// Tables as people have them: the same comes of them by HTTP, and by `import` from a file and from standard input.
@Suite(.timeLimit(.minutes(5))) struct TableTests {
  /// What came of a table.
  private struct Result: Equatable {
    var isStored = false
    var features: [String] = []
    var notes: [String] = []
    var message = ""
  }

  private let files: TemporaryDirectory

  init() throws { files = try TemporaryDirectory() }

  @Test func everyKind() throws {
    let server = try ServerProcess.ready()
    for (number, table) in TableCase.all.enumerated() {
      let results = [
        try post(table, "a\(number)", server), try load(table, "b\(number)", server, isFile: true),
        try load(table, "c\(number)", server, isFile: false),
      ]
      for (result, way) in zip(results, ["HTTP", "a file", "standard input"]) {
        check(result, table, by: way)
      }
    }
  }

  @Test func theContentTypeTellsTheEncoding() throws {
    let server = try ServerProcess.ready()
    let items = "/collections/c/items"
    func post(_ type: String, _ query: String = "") throws -> Int {
      try server.client.send(
        "POST", items + query, headers: [("Content-Type", type)],
        body: Array("id,lon,lat,n\n1,2,3,".utf8) + [0xE4, 0x0A]
      ).status
    }
    for type in ["text/csv; charset=ISO-8859-1", "text/csv;header=present;CHARSET=\"latin1\""] {
      #expect(try post(type) == 200)
      #expect(try server.json("\(items)/1")["properties"]?.text == #"{"n":"ä"}"#)
      #expect(try server.client.send("DELETE", "\(items)/1").status == 204)
    }
    #expect(try post("text/csv; charset=utf-99") == 415)
    #expect(try post("text/csv; charset=utf-8") == 422)
    // What is said in the query counts.
    #expect(try post("text/csv; charset=utf-8", "?encoding=latin1") == 200)
  }

  /// A customer's table: Windows-1252, CRLF, decimal commas, money, postcodes, a name twice, a row without a place.
  private static let customers = TableCase.windows1252(
    [
      "Nr;Kunde;Straße;PLZ;Ort;Breite;Länge;Umsatz;Umsatz;",
      "101;Bäckerei Müller;Königstraße 1;01067;Dresden;51,0504;13,7373;1.234,50 €;12;",
      "102;\"Café \"\"Süd\"\"\r\nHinterhof\";Am Markt 3;10115;Berlin;52,5300;13,3800;99,00 €;3;",
      "103;Ohne Ort;;;;;;5,00 €;1;", ";;;;;;;;;",
      "104;Größer & Söhne;Allee 7;80331;München;48,137;11,575;10.000,00 €;140;",
    ].map { $0 + "\r\n" }.joined())

  @Test func aCustomersTable() throws {
    let data = try TemporaryDirectory()
    let path = try files.write(TableTests.customers, as: "kunden.csv")
    let arguments = ["import", path, "--collection", "kunden", "--id-property", "Nr"]
    let run = try Tool(arguments + ["--on-error", "skip", "--data", data.path])
    #expect(run.exit == .code(0), "\(run.error)")
    #expect(
      run.errorLines == [#"pincluster: /lines/5: "" in the column "Länge" is not a number"#])
    #expect(run.output.contains("3 inserted, 0 updated, 1 rejected"), "\(run.output)")
    #expect(
      run.output.split(separator: "\n").dropFirst().map(String.init) == [
        "note: the encoding is windows-1252, as the bytes are not UTF-8",
        "note: the separator is \";\"",
        "note: longitudes are in the column \"Länge\", latitudes in \"Breite\"",
        "note: the name \"Umsatz\" appears twice: the later column is \"Umsatz_2\"",
        "note: numbers have a comma before their decimals",
        "note: the column \"PLZ\" holds numbers and texts, so all in it is text",
      ])
    let server = try ServerProcess.ready(data: data)
    #expect(
      try features("kunden", server) == [
        #"101 [13.7373,51.0504] {"Nr":101,"Kunde":"Bäckerei Müller","Straße":"Königstraße 1","PLZ":"01067","Ort":"Dresden","Umsatz":"1.234,50 €","Umsatz_2":12}"#,
        #"102 [13.38,52.53] {"Nr":102,"Kunde":"Café \"Süd\"\u000d\u000aHinterhof","Straße":"Am Markt 3","PLZ":"10115","Ort":"Berlin","Umsatz":"99,00 €","Umsatz_2":3}"#,
        #"104 [11.575,48.137] {"Nr":104,"Kunde":"Größer & Söhne","Straße":"Allee 7","PLZ":"80331","Ort":"München","Umsatz":"10.000,00 €","Umsatz_2":140}"#,
      ])
    // Without a word about what is bad, it says which encoding would do.
    let strict = try Tool(arguments + ["--data", data.path + "2"])
    strict.expectFailure(saying: "/lines/1", "windows-1252?")
  }

  /// What the beginning of a long table promises and a later line doesn't hold is as if all had been seen at first.
  @Test func aLateContradiction() throws {
    let server = try ServerProcess.ready()
    let rows = (1...8000).map {
      "\($0),\($0),10115,52.\($0),13.4,\(String(repeating: "x", count: 40))\n"
    }
    let late = [
      "8001,8001,01067,1,1,\n", "A2,8001,10115,1,1,\n", "8001,8001,10115,\"1\",\"1\",\n",
    ]
    for (number, last) in late.enumerated() {
      let table = TableCase(
        "late", "id,n,plz,lat,lon,t\n" + rows.joined() + last, [String]())
      let results = [
        try post(table, "a\(number)", server), try load(table, "b\(number)", server, isFile: true),
        try load(table, "c\(number)", server, isFile: false),
      ]
      #expect(results[0].features.count == 1000)
      #expect(results[0].features.allSatisfy { $0.contains("\"plz\":\"10115\"") == (number == 0) })
      #expect(results[0].features.allSatisfy { $0.hasPrefix("\"") == (number == 1) })
      for result in results {
        #expect(result.isStored && result.notes.count == (number == 2 ? 0 : 1), "\(result.notes)")
        #expect(result == results[0])
      }
    }
  }

  private func check(_ result: Result, _ table: TableCase, by way: String) {
    switch table.outcome {
    case .features(let features, let notes):
      #expect(result.isStored, "\(table.name) by \(way): \(result.message)")
      #expect(result.features == features.sorted(), "\(table.name) by \(way)")
      #expect(result.notes == notes, "\(table.name) by \(way)")
    case .refused(let texts):
      #expect(!result.isStored, "\(table.name) by \(way): \(result.features)")
      for text in texts {
        #expect(result.message.contains(text), "\(table.name) by \(way): \(result.message)")
      }
    }
  }

  /// The features of a collection.
  private func features(_ collection: String, _ server: ServerProcess) throws -> [String] {
    let answer = try server.client.get("/collections/\(collection)/items?limit=1000")
    return (answer.value["features"]?.array ?? []).map { feature in
      let place = feature["geometry"]?["coordinates"]?.text ?? ""
      return "\(feature["id"]?.text ?? "") \(place) \(feature["properties"]?.text ?? "")"
    }.sorted()
  }

  private func post(
    _ table: TableCase, _ collection: String, _ server: ServerProcess
  ) throws -> Result {
    let query = table.options.map { name, value in
      let escaped = value.utf8.map { byte in
        let hex = String(byte, radix: 16, uppercase: true)
        return "%" + (hex.count < 2 ? "0" : "") + hex
      }
      return "\(name)=\(escaped.joined())"
    }
    let path = "/collections/\(collection)/items" + (query.isEmpty ? "" : "?")
    let answer = try server.client.send(
      "POST", path + query.joined(separator: "&"), headers: [("Content-Type", "text/csv")],
      body: table.bytes)
    let items = answer.value["errors"]?.array ?? []
    return Result(
      isStored: answer.status == 200,
      features: answer.status == 200 ? try features(collection, server) : [],
      notes: answer.value["notes"]?.array?.compactMap(\.string) ?? [],
      message: (answer.value["detail"]?.string ?? "")
        + items.map { "\n\($0["pointer"]?.string ?? ""): \($0["detail"]?.string ?? "")" }.joined())
  }

  private func load(
    _ table: TableCase, _ collection: String, _ server: ServerProcess, isFile: Bool
  ) throws -> Result {
    let path = try files.write(table.bytes, as: "\(collection).csv")
    var arguments = ["import", isFile ? path : "-", "--format", "csv", "--collection", collection]
    arguments += ["--url", server.url]
    for (name, value) in table.options {
      arguments += [
        ["idProperty": "--id-property", "onError": "--on-error"][name] ?? "--\(name)", value,
      ]
    }
    let run = try Tool(arguments, bytes: isFile ? nil : table.bytes)
    let isStored = run.exit == .code(0)
    return Result(
      isStored: isStored, features: isStored ? try features(collection, server) : [],
      notes: run.output.split(separator: "\n").filter { $0.hasPrefix("note: ") }.map {
        String($0.dropFirst(6))
      }, message: run.error)
  }
}
