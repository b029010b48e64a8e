import ClusterCore
import GeoFormats
import HTTPServer

/// What the features of a collection look like, as JSON Schema 2020-12.
extension Resources {
  /// The properties that filters and queries may name, as OGC API Features, part 3 has them.
  func queryables(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try schema(id, "queryables", request) { json, survey in
      json.geometrySchema()
      for property in survey.properties where property.name != JSONWriter.geometryName {
        json.schema(of: property)
      }
    }
  }

  /// Everything that a feature has.
  func schema(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try schema(id, "schema", request) { json, survey in
      json.object("id") { json in
        json.member("title", "id")
        json.array("type") { json in
          json.value("integer")
          json.value("string")
        }
        json.member("x-ogc-role", "id")
      }
      json.geometrySchema()
      for property in survey.properties
      where !["id", JSONWriter.geometryName].contains(property.name) {
        json.schema(of: property)
      }
    }
  }

  private func schema(
    _ id: String, _ name: String, _ request: HTTPRequest,
    _ write: @escaping @Sendable (inout JSONWriter, PropertySurvey) -> Void
  ) throws -> Outcome {
    let type = try request.answerType([.schema, .json])
    let snapshot = try snapshot(id)
    let base = base(of: request)
    let etag = entityTag(snapshot, request, type, links: base)
    let isKnown = snapshot.surveys.existing != nil
    return .response(
      to: request, etag: etag, isSmall: isKnown,
      cost: {
        Cost(ofSurveying: snapshot.collection, isMostlyKnown: snapshot.surveys.isMostlyKnown)
      }
    ) {
      let survey = snapshot.surveys.survey(of: snapshot.index)
      let collection = "\(base)/collections/\(id)"
      var response = HTTPResponse(type: type, etag: etag) { json in
        json.member("$schema", "https://json-schema.org/draft/2020-12/schema")
        json.member("$id", "\(collection)/\(name)")
        json.member("title", snapshot.info.title ?? id)
        json.member("type", "object")
        json.object("properties") { write(&$0, survey) }
        json.member("additionalProperties", !survey.isComplete)
      }
      response.add([
        Link("\(collection)/\(name)", "self", type, "This schema"),
        Link(collection, "collection", .json, "Its collection"),
      ])
      return response
    }
  }
}

extension JSONWriter {
  /// The name of the geometry in filters.
  fileprivate static let geometryName = "geometry"

  fileprivate mutating func geometrySchema() {
    object("geometry") { json in
      json.member("title", "geometry")
      json.member("x-ogc-role", "primary-geometry")
      json.member("format", "geometry-point")
    }
  }

  /// Writes a property with the kinds of values that features have.
  fileprivate mutating func schema(of property: PropertySurvey.Property) {
    Array(property.name.utf8).withUnsafeBytes { keyUTF8($0) }
    object { json in
      json.member("title", property.name)
      let types = property.kinds.types
      json.key("type")
      if types.count == 1 {
        json.value(types[0])
      } else {
        json.array { json in for type in types { json.value(type) } }
      }
      if property.kinds.contains(.string), property.isDateTime {
        json.member("format", "date-time")
      }
    }
  }
}

extension PropertySurvey.Kinds {
  /// The names of the types in JSON Schema. A number is any number.
  fileprivate var types: [StaticString] {
    let all: [(Self, StaticString)] = [
      (.string, "string"), (.integer, "integer"), (.number, "number"), (.boolean, "boolean"),
      (.array, "array"), (.object, "object"), (.null, "null"),
    ]
    return all.filter { contains($0.0) && !($0.0 == .integer && contains(.number)) }.map(\.1)
  }
}
