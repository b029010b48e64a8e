import TestSupport
import Testing

@testable import ClusterAPI

/// The list of viewport fields, against what the resources read and what openapi.yaml describes.
@Suite(.timeLimit(.minutes(10))) struct ViewportFieldTests {
  /// A value that no field takes, in a body: `bool` fields refuse the array, lists its element.
  private static let wrong = "[{}]"

  @Test func `every field is in the list once`() {
    let names = ViewportField.all.map(\.name)
    #expect(Set(names).count == names.count)
  }

  /// Whatever is allowed is also read: a field of the list without a reader would be ignored.
  @Test(arguments: ["clusters", "pins", "locate"])
  func `every field is read by the requests that take it`(resource: String) async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let isLocate = resource == "locate"
    let path = isLocate ? "items/1/locate" : resource
    let requests: [String: ViewportField.Requests] = [
      "clusters": .clusters, "pins": .pins, "locate": .locate,
    ]
    for field in ViewportField.all {
      var fields: [String] = []
      if isLocate {
        fields = [#""latitudinalMeters":9,"longitudinalMeters":9,"viewportWidth":9"#]
        fields.append(#""viewportHeight":9"#)
      } else {
        if field.part != .rect { fields.append(#""bbox":[0,0,9,9]"#) }
        if field.part != .scale { fields.append(#""zoom":3"#) }
      }
      if isLocate, field.name == "viewportWidth" { continue }
      fields.append("\"\(field.name)\":\(Self.wrong)")
      let answer = await service.post(
        "/collections/c/\(path)", "{\(fields.joined(separator: ","))}")
      #expect(answer.status == 400, "\(field.name): \(answer.text)")
      let isTaken = requests[resource].map { !field.requests.isDisjoint(with: $0) } ?? false
      let isUnknown = answer.text.contains("the name is unknown here")
      #expect(isUnknown == !isTaken, "\(field.name): \(answer.text)")
      #expect(answer["errors"]?[0]?["pointer"]?.string?.hasPrefix("/\(field.name)") == true)
    }
  }

  @Test func `openapi yaml names the same fields for every request`() async throws {
    let document = OpenAPIText(try await Service().get("/openapi.yaml").text)
    let collection = "/collections/{collectionId}"
    let annotation: ViewportField.Requests = [.annotation, .methodAnnotation]
    for (path, requests, others) in [
      ("clusters", .clusters, ["f"]), ("pins", .pins, ["f"]),
      ("changes", .changes, ["since", "tiles", "expansion"]),
      ("clusters/{annotationId}", annotation, ["f"]),
      ("clusters/{annotationId}/items", annotation, ["f", "limit", "offset"]),
      ("clusters/{annotationId}/children", annotation, ["f", "childZoom"]),
      ("clusters/{annotationId}/hull", annotation, ["f"]),
    ] as [(String, ViewportField.Requests, [String])] {
      let names = document.queryNames(of: "\(collection)/\(path)")
      #expect(
        names == Set(ViewportField.names(requests) + others + ["minVersion"]),
        "GET \(path): describe each field in api/viewport.yaml, then run scripts/openapi")
    }
    for (schema, requests, others) in [
      ("ViewportRequest", .clusters, []), ("PinsRequest", .pins, []),
      (
        "LocateRequest", .locate,
        ["latitudinalMeters", "longitudinalMeters", "viewportWidth", "viewportHeight"]
      ),
    ] as [(String, ViewportField.Requests, [String])] {
      let names = document.propertyNames(ofSchema: schema)
      #expect(names == Set(ViewportField.names(requests) + others), "\(schema)")
    }
  }
}

/// As much of openapi.yaml as it takes to list the names of fields: lines by their indentation.
private struct OpenAPIText {
  private let lines: [Substring]

  init(_ text: String) { lines = text.split(separator: "\n").map { $0[...] } }

  private static func indent(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }

  /// The lines below the first that is `key` with an indentation, in some lines.
  private static func block(
    _ key: String, indent: Int, in lines: ArraySlice<Substring>
  ) -> ArraySlice<Substring> {
    let head = String(repeating: " ", count: indent) + key + ":"
    guard let start = lines.firstIndex(where: { $0 == head || $0.hasPrefix(head + " ") }) else {
      return []
    }
    return lines[(start + 1)...].prefix { self.indent($0) > indent || $0.hasPrefix(head + "-") }
  }

  private func component(_ kind: String, _ name: String) -> ArraySlice<Substring> {
    let components = Self.block("components", indent: 0, in: lines[...])
    return Self.block(name, indent: 4, in: Self.block(kind, indent: 2, in: components))
  }

  /// The keys of the block `properties` with an indentation.
  private static func properties(
    _ lines: ArraySlice<Substring>, indent: Int
  ) -> Set<String> {
    let block = block("properties", indent: indent, in: lines)
    return Set(
      block.filter { self.indent($0) == indent + 2 }
        .map { $0.drop { $0 == " " }.prefix { $0 != ":" } }.map(String.init))
  }

  func propertyNames(ofSchema name: String) -> Set<String> {
    Self.properties(component("schemas", name), indent: 6)
  }

  /// The query parameters of a GET; those of an object count one by one.
  func queryNames(of path: String) -> Set<String> {
    let paths = Self.block("paths", indent: 0, in: lines[...])
    let operation = Self.block("get", indent: 4, in: Self.block(path, indent: 2, in: paths))
    var names: Set<String> = []
    let parameters = operation.drop { $0 != "      parameters:" }.dropFirst()
    for (line, next) in zip(parameters, parameters.dropFirst()) {
      guard line.hasPrefix("      -") || Self.indent(line) > 6 else { break }
      if line.hasPrefix("      - name: "), next == "        in: query" {
        names.insert(String(line.dropFirst(14)))
      }
      guard let reference = line.firstRange(of: "#/components/parameters/") else { continue }
      let name = line[reference.upperBound...].prefix { $0.isLetter }
      let parameter = component("parameters", String(name))
      guard parameter.contains("      in: query") else { continue }
      let members = Self.properties(parameter, indent: 8)
      let own = parameter.first { $0.hasPrefix("      name: ") }?.dropFirst(12)
      names.formUnion(members.isEmpty ? own.map { [String($0)] } ?? [] : members)
    }
    return names
  }
}
