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

  /// Puts files into a zip archive.
  func zip(_ files: [String], as name: String) throws -> String {
    let archive = self.files.file(name)
    try ChildProcess.succeed("/usr/bin/python3", ["-m", "zipfile", "-c", archive] + files)
    return archive
  }

  /// The features of `c` as a server shows them, by id: longitude, latitude, properties.
  func storedByID() throws -> [String: String] {
    let server = try ServerProcess.ready(data: data)
    let answer = try server.client.get("/collections/c/items?limit=10000")
    #expect(server.terminate() == 0)
    var features: [String: String] = [:]
    for feature in answer.status == 200 ? answer.value["features"]?.array ?? [] : [] {
      let place = feature["geometry"]?["coordinates"]?.text ?? ""
      features[feature["id"]?.text ?? ""] = place + (feature["properties"]?.text ?? "")
    }
    return features
  }

  /// The same features, sorted, without their ids.
  func stored() throws -> [String] { try storedByID().values.sorted() }
}
