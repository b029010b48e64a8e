import ClusterCore
import GeoFormats

/// The form in which a request gets features: `properties`, `skipGeometry` and `crs`, and in lists `near`.
struct FeatureForm: Sendable {
  /// The fields that make it up.
  static let names = ["properties", "skipGeometry", "crs"]

  /// The properties that a feature carries.
  private(set) var properties = AnnotationOptions.PropertySelection.all
  /// Whether a feature carries its geometry.
  private(set) var hasGeometry = true
  /// Whether features are answered as they are stored.
  private(set) var isWhole = true
  /// Whether the request names the reference system, so that the answer does, too.
  private(set) var namesReferenceSystem = false
  /// The names of ``properties`` in the order in which they were given; nil unless they were.
  private(set) var columns: [[UInt8]]?

  /// The distances that features carry, by which they are in order; nil unless the request names a place.
  private(set) var near: GlobeDistance?

  /// Everything.
  init() {}

  /// The form that fields tell.
  init(_ fields: Fields, near: GlobeDistance? = nil) throws(Problem) {
    self.near = near
    properties = try fields.propertySelection("properties") ?? .all
    hasGeometry = try fields.bool("skipGeometry") != true
    isWhole = properties == .all && hasGeometry && near == nil
    try fields.checkReferenceSystem("crs")
    namesReferenceSystem = fields.has("crs")
    switch properties {
    case .all: break
    case .none: columns = []
    case .names: columns = try fields.strings("properties")?.list.map { Array($0.utf8) }
    }
  }

  /// The members that are wanted of an object.
  func members(
    of properties: UnsafeRawBufferPointer
  ) -> some Sequence<PropertyReader.Members.Element> {
    let isAll = self.properties == .all
    return PropertyReader.Members(of: properties).lazy.filter {
      isAll || self.properties.contains(JSONScanner.unescape($0.name))
    }
  }
}
