import ClusterCore
import Collections
import GeoFormats
import HTTPServer

/// The schema of a collection's features, as JSON Schema 2020-12.
extension Resources {
  /// The properties that filters and queries may name, as OGC API Features, part 3 has them.
  func queryables(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    if try request.answerType([.schema, .json, .html]) == .html {
      return try queryablesPage(id, request)
    }
    // In a filter any other name is valid, too, and null.
    return try schema(id, "queryables", request, takesOthers: true) { survey in
      let hasID = survey.properties.contains { $0.name == "id" && $0.kinds != .null }
      let own = hasID ? [Schema.geometry] : [Schema.id, Schema.geometry]
      return own + Schema.members(of: survey.properties, but: own)
    }
  }

  /// The same for people: what filters may name, but the geometry.
  private func queryablesPage(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let snapshot = try snapshot(id)
    let base = base(of: request)
    let etag = entityTag(snapshot.info, request, .html, links: base)
    return .response(to: request, etag: etag, kind: ReadKind(.queryables, of: id)) {
      let survey = snapshot.surveys.survey(of: snapshot.index)
      let rows = survey.properties.map { ($0.name, $0.kinds.types.joined(separator: ", ")) }
      return Resources.page(ofProperties: rows, in: id, base, etag: etag, request)
    }
  }

  /// The kinds of schemas: the bodies of writes, as OGC API Features, part 4 has it, and a feature as GeoJSON.
  private enum SchemaType: String, CaseIterable {
    case create, replace, feature
  }

  /// Everything that a feature has.
  func schema(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let fields = try Fields(query: request.query, allowed: ["f", "type"])
    switch try fields.choice("type", SchemaType.self) {
    case .create, .replace: return try bodySchema(id, request)
    case .feature: return try featureSchema(id, request)
    case nil: break
    }
    return try schema(id, "schema", request) { survey in
      let own = [Schema.id, Schema.geometry]
      return own + Schema.members(of: survey.properties, but: own)
    }
  }

  /// The form of a GeoJSON feature. Programs that make columns of properties, such as GDAL, take their names and types from
  /// it; null is no value to them. Integers beyond 32 bits, which they would clamp, are numbers there, and lists and objects
  /// are texts.
  private func featureSchema(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try schema(id, "schema?type=feature", request, takesOthers: true) { survey in
      let told = survey.properties.compactMap { property in
        var kinds = property.kinds.subtracting([.null, .array, .object])
        let hasOthers = !property.kinds.isDisjoint(with: [.array, .object])
        if hasOthers { kinds.insert(.string) }
        if kinds.contains(.integer), property.hasLongIntegers { kinds.insert(.number) }
        return kinds.isEmpty ? nil : Schema.member(of: property, kinds, hasFormat: !hasOthers)
      }
      let properties: JSONLiteral = ["type": "object", "properties": .object(told)]
      return [Schema.feature, Schema.id, ("geometry", Schema.point), ("properties", properties)]
    }
  }

  private func schema(
    _ id: String, _ name: String, _ request: HTTPRequest, takesOthers: Bool = false,
    _ members: @escaping @Sendable (PropertySurvey) -> [JSONLiteral.Member]
  ) throws -> Outcome {
    let type = try request.schemaType()
    let snapshot = try snapshot(id)
    let base = base(of: request)
    let etag = entityTag(snapshot.info, request, type, links: base)
    return .response(to: request, etag: etag, kind: ReadKind(.schema, of: id)) {
      let survey = snapshot.surveys.survey(of: snapshot.index)
      let collection = "\(base)/collections/\(id)"
      let document: JSONLiteral = [
        "$schema": Schema.dialect, "$id": .string("\(collection)/\(name)"),
        "title": .string(snapshot.info.title ?? id), "type": "object",
        "properties": .object(members(survey)),
        "additionalProperties": .bool(takesOthers || !survey.isComplete),
      ]
      var response = HTTPResponse(document, type: type, etag: etag)
      response.add([
        Link("\(collection)/\(name)", "self", type, "This schema"),
        Link(collection, "collection", .json, "Its collection"),
      ])
      return response
    }
  }

  /// The schema of a feature to store, which is the same for all collections.
  private func bodySchema(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let type = try request.schemaType()
    _ = try snapshot(id)
    let document: JSONLiteral = [
      "$schema": Schema.dialect, "$id": .string(base(of: request) + Resources.target(request)),
      "title": "A feature to store", "type": "object",
      "required": ["type", "geometry", "properties"],
      "properties": [
        "type": Schema.feature.value, "id": ["type": ["integer", "string"]],
        "geometry": Schema.point, "properties": ["type": ["object", "null"]],
      ],
    ]
    return .now(HTTPResponse(document, type: type))
  }
}

extension HTTPRequest {
  /// The type of an answer that is a schema.
  fileprivate func schemaType() throws(Problem) -> MediaType {
    let fields = try Fields(query: query, allowed: ["f", "type"])
    return try negotiate([.schema, .json], format: try fields.string("f"))
  }
}

extension Resources {
  /// Parts of schemas.
  private enum Schema {
    static let dialect: JSONLiteral = "https://json-schema.org/draft/2020-12/schema"
    static let feature: JSONLiteral.Member = ("type", ["const": "Feature"])
    static let id: JSONLiteral.Member = (
      "id", ["title": "id", "type": ["integer", "string"], "x-ogc-role": "id"]
    )
    /// The geometry under its name in filters.
    static let geometry: JSONLiteral.Member = (
      "geometry",
      ["title": "geometry", "x-ogc-role": "primary-geometry", "format": "geometry-point"]
    )
    /// A Point of GeoJSON.
    static let point: JSONLiteral = [
      "type": "object", "required": ["type", "coordinates"],
      "properties": [
        "type": ["const": "Point"],
        "coordinates": [
          "type": "array", "minItems": 2, "items": ["type": "number"],
          "prefixItems": [
            ["minimum": -180, "maximum": 180], ["minimum": -90, "maximum": 90],
          ],
        ],
      ],
    ]

    /// Properties, but those with the names of other members.
    static func members(
      of properties: [PropertySurvey.Property], but others: [JSONLiteral.Member]
    ) -> [JSONLiteral.Member] {
      properties.compactMap { property in
        others.contains { $0.name == property.name } ? nil : member(of: property, property.kinds)
      }
    }

    /// A property with the kinds of values that features have, or some of them.
    static func member(
      of property: PropertySurvey.Property, _ kinds: PropertySurvey.Kinds, hasFormat: Bool = true
    ) -> JSONLiteral.Member {
      let types = kinds.types
      let formats: [(PropertySurvey.Formats, JSONLiteral)] = [
        (.dateTime, "date-time"), (.date, "date"),
      ]
      let hasFormat = hasFormat && property.kinds.contains(.string)
      let schema: JSONLiteral = [
        "title": .string(property.name),
        "type": types.count == 1 ? .string(types[0]) : .texts(types),
        "format": hasFormat ? formats.first { $0.0 == property.formats }?.1 : nil,
      ]
      return (property.name, schema)
    }
  }
}

extension PropertySurvey.Kinds {
  /// The names of the types in JSON Schema. A number is any number.
  fileprivate var types: [String] {
    let all: [(Self, String)] = [
      (.string, "string"), (.integer, "integer"), (.number, "number"), (.boolean, "boolean"),
      (.array, "array"), (.object, "object"), (.null, "null"),
    ]
    return all.filter { contains($0.0) && !($0.0 == .integer && contains(.number)) }.map(\.1)
  }
}
