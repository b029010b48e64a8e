import ClusterCore
import Collections
import GeoFormats
import HTTPServer

/// The schema of a collection's features, as JSON Schema 2020-12.
extension Resources {
  /// The properties that filters and queries may name, as OGC API Features, part 3 has them.
  func queryables(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    // In a filter any other name is valid, too, and null.
    if try request.answerType([.schema, .json, .html]) == .html {
      return try queryablesPage(id, request)
    }
    return try schema(id, "queryables", request, takesOthers: true) { json, survey in
      let hasID = survey.properties.contains { $0.name == "id" && $0.kinds != .null }
      if !hasID { json.idSchema() }
      json.geometrySchema()
      for property in survey.properties
      where property.name != JSONWriter.geometryName && (hasID || property.name != "id") {
        json.schema(of: property)
      }
    }
  }

  /// The same for people: what filters may name, but the geometry.
  private func queryablesPage(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let snapshot = try snapshot(id)
    let base = base(of: request)
    let etag = entityTag(snapshot.info, request, .html, links: base)
    return .response(to: request, etag: etag, kind: ReadKind(.queryables, of: id)) {
      let survey = snapshot.surveys.survey(of: snapshot.index)
      let rows = survey.properties.map { property in
        (property.name, property.kinds.types.map { "\($0)" }.joined(separator: ", "))
      }
      return Resources.page(ofProperties: rows, in: id, base, etag: etag, request)
    }
  }

  /// Everything that a feature has.
  func schema(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let fields = try Fields(query: request.query, allowed: ["f", "type"])
    switch try fields.choice("type", SchemaType.self) {
    case .create, .replace: return try bodySchema(id, request)
    case .feature: return try featureSchema(id, request)
    case nil: break
    }
    return try schema(id, "schema", request) { json, survey in
      json.idSchema()
      json.geometrySchema()
      for property in survey.properties
      where !["id", JSONWriter.geometryName].contains(property.name) {
        json.schema(of: property)
      }
    }
  }

  /// The form of a GeoJSON feature. Programs that make columns of properties, such as GDAL, take their types from it, as far
  /// as it tells any; null is no value to them. Integers may be longer than they believe, and of lists it tells too little.
  private func featureSchema(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try schema(id, "schema?type=feature", request, takesOthers: true) { json, survey in
      json.object("type") { $0.member("const", "Feature") }
      json.idSchema()
      json.object("geometry") { $0.pointSchema() }
      json.object("properties") { json in
        json.member("type", "object")
        json.object("properties") { json in
          for property in survey.properties {
            let kinds = property.kinds.subtracting(.null)
            guard !kinds.isEmpty, kinds != .integer, kinds.isDisjoint(with: [.array, .object])
            else { continue }
            json.schema(of: property, kinds)
          }
        }
      }
    }
  }

  private func schema(
    _ id: String, _ name: String, _ request: HTTPRequest, takesOthers: Bool = false,
    _ write: @escaping @Sendable (inout JSONWriter, PropertySurvey) -> Void
  ) throws -> Outcome {
    let type = try request.schemaType()
    let snapshot = try snapshot(id)
    let base = base(of: request)
    let etag = entityTag(snapshot.info, request, type, links: base)
    return .response(to: request, etag: etag, kind: ReadKind(.schema, of: id)) {
      let survey = snapshot.surveys.survey(of: snapshot.index)
      let collection = "\(base)/collections/\(id)"
      var response = HTTPResponse(type: type, etag: etag) { json in
        json.member("$schema", "https://json-schema.org/draft/2020-12/schema")
        json.member("$id", "\(collection)/\(name)")
        json.member("title", snapshot.info.title ?? id)
        json.member("type", "object")
        json.object("properties") { write(&$0, survey) }
        json.member("additionalProperties", takesOthers || !survey.isComplete)
      }
      response.add([
        Link("\(collection)/\(name)", "self", type, "This schema"),
        Link(collection, "collection", .json, "Its collection"),
      ])
      return response
    }
  }
}

extension Resources {
  /// The kinds of schemas: the bodies of writes, as OGC API Features, part 4 has it, and a feature as GeoJSON.
  private enum SchemaType: String, CaseIterable {
    case create, replace, feature
  }

  /// The schema of a feature to store, which is the same for all collections.
  private func bodySchema(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let type = try request.schemaType()
    _ = try snapshot(id)
    let own = base(of: request) + Resources.target(request)
    let response = HTTPResponse(type: type) { json in
      json.member("$schema", "https://json-schema.org/draft/2020-12/schema")
      json.member("$id", own)
      json.member("title", "A feature to store")
      json.member("type", "object")
      json.array("required") { json in
        for name: StaticString in ["type", "geometry", "properties"] { json.value(name) }
      }
      json.object("properties") { json in
        json.object("type") { $0.member("const", "Feature") }
        json.object("id") { json in
          json.array("type") { json in
            json.value("integer")
            json.value("string")
          }
        }
        json.object("geometry") { $0.pointSchema() }
        json.object("properties") { json in
          json.array("type") { json in
            json.value("object")
            json.value("null")
          }
        }
      }
    }
    return .now(response)
  }
}

extension HTTPRequest {
  /// The type of an answer that is a schema.
  fileprivate func schemaType() throws(Problem) -> MediaType {
    let fields = try Fields(query: query, allowed: ["f", "type"])
    return try negotiate([.schema, .json], format: try fields.string("f"))
  }
}

extension JSONWriter {
  /// Writes the members of the schema of a Point.
  fileprivate mutating func pointSchema() {
    member("type", "object")
    array("required") { json in
      json.value("type")
      json.value("coordinates")
    }
    object("properties") { json in
      json.object("type") { $0.member("const", "Point") }
      json.object("coordinates") { json in
        json.member("type", "array")
        json.member("minItems", 2)
        json.object("items") { $0.member("type", "number") }
        json.array("prefixItems") { json in
          for limit in [180, 90] {
            json.object { json in
              json.member("minimum", -limit)
              json.member("maximum", limit)
            }
          }
        }
      }
    }
  }

  /// The name of the geometry in filters.
  fileprivate static let geometryName = "geometry"

  fileprivate mutating func idSchema() {
    object("id") { json in
      json.member("title", "id")
      json.array("type") { json in
        json.value("integer")
        json.value("string")
      }
      json.member("x-ogc-role", "id")
    }
  }

  fileprivate mutating func geometrySchema() {
    object("geometry") { json in
      json.member("title", "geometry")
      json.member("x-ogc-role", "primary-geometry")
      json.member("format", "geometry-point")
    }
  }

  /// Writes a property with the kinds of values that features have, or some of them.
  fileprivate mutating func schema(
    of property: PropertySurvey.Property, _ kinds: PropertySurvey.Kinds? = nil
  ) {
    Array(property.name.utf8).withUnsafeBytes { keyUTF8($0) }
    object { json in
      json.member("title", property.name)
      let types = (kinds ?? property.kinds).types
      json.key("type")
      if types.count == 1 {
        json.value(types[0])
      } else {
        json.array { json in for type in types { json.value(type) } }
      }
      if property.kinds.contains(.string) {
        if property.formats == .dateTime { json.member("format", "date-time") }
        if property.formats == .date { json.member("format", "date") }
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
