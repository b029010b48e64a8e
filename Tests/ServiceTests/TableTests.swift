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

  private func check(_ result: Result, _ table: TableCase, by way: String) {
    switch table.outcome {
    case .features(let features, let notes):
      #expect(result.isStored, "\(table.name) by \(way): \(result.message)")
      #expect(result.features == features.sorted(), "\(table.name) by \(way)")
      #expect(result.notes == notes, "\(table.name) by \(way)")
    case .refused(let texts):
      #expect(!result.isStored, "\(table.name) by \(way): \(result.features)")
      for text in texts where way != "standard input" {
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
    let path = files.file("\(collection).csv")
    try Fixtures.write(table.bytes, path: path)
    var arguments = ["import", isFile ? path : "-", "--format", "csv", "--collection", collection]
    arguments += ["--url", "http://127.0.0.1:\(server.port)"]
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
