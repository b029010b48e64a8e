import TestSupport
import Testing

/// A data directory to import into, and a folder of files.
struct ImportRoom {
  let data: TemporaryDirectory
  let files: TemporaryDirectory

  init() throws {
    data = try TemporaryDirectory()
    files = try TemporaryDirectory()
  }

  /// Imports a file into the collection `c`.
  func load(_ path: String, _ further: String...) throws -> Tool {
    try Tool(["import", path, "--collection", "c", "--data", data.path] + further)
  }

  /// Imports a file by way of standard input into the collection `c`.
  func pipe(_ path: String, _ further: String...) throws -> Tool {
    try Tool(
      ["import", "-", "--collection", "c", "--data", data.path] + further,
      launcher: ["/bin/sh", "-c", #"file=$0; exec "$@" <"$file""#, path])
  }

  /// The features of `c` as a server shows them, sorted: longitude, latitude, properties.
  func stored() throws -> [String] {
    let server = try ServerProcess.ready(data: data)
    let answer = try server.client.get("/collections/c/items?limit=10000")
    #expect(server.terminate() == 0)
    guard answer.status == 200 else { return [] }
    return (answer.value["features"]?.array ?? []).map { feature in
      (feature["geometry"]?["coordinates"]?.text ?? "") + (feature["properties"]?.text ?? "")
    }.sorted()
  }
}
