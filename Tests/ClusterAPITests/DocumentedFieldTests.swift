import TestSupport
import Testing

@testable import ClusterAPI

/// The fields of a viewport request: those that the code knows and those that openapi.yaml describes.
@Suite(.timeLimit(.minutes(5))) struct DocumentedFieldTests {
  @Test func `openapi.yaml describes the fields that are read, and no others`() async throws {
    let lines = try await Service().get("/openapi.yaml").text.split(separator: "\n")
    let schema = lines.drop { $0 != "    ViewportRequest:" }
    let properties = schema.drop { $0 != "      properties:" }.dropFirst()
    let indent = "        "
    let documented = properties.prefix { $0.hasPrefix(indent) }.map { $0.dropFirst(indent.count) }
      .filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
    #expect(
      documented.map(String.init).sorted() == ViewportFields.all.sorted(),
      "describe each field in api/viewport.yaml, then run scripts/openapi")
  }
}
