import ClusterCore

/// A field of a viewport request: its name, the requests that take it, how it is read and where its value
/// is stored.
///
/// ``all`` is the only list of these fields: the names that a resource allows and what a request reads
/// derive from it.
struct ViewportField: Sendable {
  /// The requests that take viewport fields.
  struct Requests: OptionSet, Sendable {
    let rawValue: Int

    static let clusters = Requests(rawValue: 1)
    static let pins = Requests(rawValue: 2)
    static let changes = Requests(rawValue: 4)
    static let locate = Requests(rawValue: 8)
    /// The resources of one annotation, whatever the method.
    static let annotation = Requests(rawValue: 16)
    /// The resources of one annotation of a method without a grid.
    static let methodAnnotation = Requests(rawValue: 32)
    /// An element of `groups`.
    static let group = Requests(rawValue: 64)
    /// A tile.
    static let tile = Requests(rawValue: 128)

    /// All that ask for a viewport.
    static let viewports: Requests = [.clusters, .pins, .changes, .locate]
  }

  /// The parts of a request. Each is read in one go, its fields in the order of ``all``.
  enum Part: Int, CaseIterable {
    case method, rect, scale, settings, limit, margin, properties, output, previous, tiles, cellSize
    case groups, debug, histogram, wrap
  }

  let name: String
  let part: Part
  let requests: Requests
  /// Whether the field means nothing to methods without a grid.
  let isGridOnly: Bool
  fileprivate let reading: @Sendable (Fields, String, inout ViewportValues) throws -> Void

  /// A field that is read and stored by `reading`, which is called if the field is given.
  init(
    _ name: String, _ part: Part, _ requests: Requests, isGridOnly: Bool = false,
    reading: @escaping @Sendable (Fields, String, inout ViewportValues) throws -> Void
  ) {
    (self.name, self.part, self.requests) = (name, part, requests)
    self.isGridOnly = isGridOnly
    self.reading = reading
  }

  /// A field whose value is read by `read` and stored by `store`.
  init<Value>(
    _ name: String, _ part: Part, _ requests: Requests, isGridOnly: Bool = false,
    _ read: @escaping @Sendable (Fields, String) throws -> Value?,
    _ store: @escaping @Sendable (inout ViewportValues, Value) -> Void
  ) {
    self.init(name, part, requests, isGridOnly: isGridOnly) { fields, name, values in
      if let value = try read(fields, name) { store(&values, value) }
    }
  }

  /// The fields of each part, and the lengths of their names, to tell quickly that none is given.
  fileprivate static let byPart = Part.allCases.map { part in
    let fields = all.filter { $0.part == part }
    return (fields: fields, lengths: fields.reduce(0) { $0 | Fields.lengthBit($1.name) })
  }

  /// The fields of a part.
  static func fields(of part: Part) -> [ViewportField] { byPart[part.rawValue].fields }

  /// The names of the fields that a request takes.
  static func names(_ requests: Requests) -> [String] {
    all.filter { !$0.requests.isDisjoint(with: requests) }.map(\.name)
  }

  /// The names of a resource that takes a viewport in a query or in a body.
  struct Names: Sendable {
    let inBody: [String]
    let inQuery: [String]
    /// Whether other names in a query are those of properties.
    let hasProperties: Bool

    private init(_ requests: Requests, hasProperties: Bool = false) {
      inBody = ViewportField.names(requests)
      inQuery = inBody + ["f"]
      self.hasProperties = hasProperties
    }

    static let clusters = Names(.clusters, hasProperties: true)
    static let pins = Names(.pins)
  }

  /// The names of the fields that mean nothing to methods without a grid.
  static let gridOnly = all.filter(\.isGridOnly).map(\.name)
}

extension Fields {
  /// Reads the fields of some parts that a request takes and that are given.
  func read(
    _ parts: ViewportField.Part..., of request: ViewportField.Requests = .clusters,
    into values: inout ViewportValues
  ) throws {
    for part in parts where mayHaveName(ofLengths: ViewportField.byPart[part.rawValue].lengths) {
      for field in ViewportField.fields(of: part)
      where has(field.name) && !field.requests.isDisjoint(with: request) {
        try field.reading(self, field.name, &values)
      }
    }
  }
}
