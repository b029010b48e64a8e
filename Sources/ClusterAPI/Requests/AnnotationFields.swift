/// Which members annotations carry. `id` and `reuses` always come, so they aren't among them.
struct AnnotationFields: OptionSet, Hashable, Sendable {
  let rawValue: UInt32

  static let coordinate = AnnotationFields(rawValue: 1 << 0)
  static let count = AnnotationFields(rawValue: 1 << 1)
  static let isCluster = AnnotationFields(rawValue: 1 << 2)
  static let isUniqueLocation = AnnotationFields(rawValue: 1 << 3)
  static let bbox = AnnotationFields(rawValue: 1 << 4)
  static let title = AnnotationFields(rawValue: 1 << 5)
  static let subtitle = AnnotationFields(rawValue: 1 << 6)
  static let originalCoordinate = AnnotationFields(rawValue: 1 << 7)
  static let contested = AnnotationFields(rawValue: 1 << 8)
  static let group = AnnotationFields(rawValue: 1 << 9)
  static let weight = AnnotationFields(rawValue: 1 << 10)
  static let counts = AnnotationFields(rawValue: 1 << 11)
  static let otherCount = AnnotationFields(rawValue: 1 << 12)
  static let aggregates = AnnotationFields(rawValue: 1 << 13)
  static let feature = AnnotationFields(rawValue: 1 << 14)
  static let members = AnnotationFields(rawValue: 1 << 15)

  static let expansionZoom = AnnotationFields(rawValue: 1 << 16)
  static let visibleMapRect = AnnotationFields(rawValue: 1 << 17)
  static let hull = AnnotationFields(rawValue: 1 << 18)

  static let all = AnnotationFields(rawValue: 1 << 19 - 1)

  /// The names that a request may give, in the order of an annotation's members.
  static let names: KeyValuePairs<String, AnnotationFields> = [
    "id": [], "coordinate": .coordinate, "count": .count, "isCluster": .isCluster,
    "isUniqueLocation": .isUniqueLocation, "bbox": .bbox, "title": .title, "subtitle": .subtitle,
    "originalCoordinate": .originalCoordinate, "contested": .contested, "group": .group,
    "weight": .weight, "counts": .counts, "otherCount": .otherCount, "aggregates": .aggregates,
    "expansionZoom": .expansionZoom, "visibleMapRect": .visibleMapRect, "hull": .hull,
    "reuses": [], "feature": .feature, "members": .members,
  ]

  /// The most names that a request may give.
  static let maximumNames = 1000
}

extension Fields {
  /// The members that annotations carry: a list of names, in which order and repetition mean nothing.
  func annotationFields(_ name: String) throws(Problem) -> AnnotationFields? {
    guard let (list, isString) = try strings(name) else { return nil }
    guard !inBody || !isString else { throw problem(name, "\(name) is a list of names") }
    try checkCount(list.count, "names", of: name, atMost: AnnotationFields.maximumNames)
    var fields: AnnotationFields = []
    for (index, element) in list.enumerated() {
      guard let field = AnnotationFields.names.first(where: { $0.key == element }) else {
        let names = AnnotationFields.names.map(\.key).joined(separator: ", ")
        throw problem(inBody ? "\(name)/\(index)" : name, "a name is none of \(names)")
      }
      fields.formUnion(field.value)
    }
    return fields
  }
}
