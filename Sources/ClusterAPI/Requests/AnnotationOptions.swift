import ClusterCore
import GeoFormats

/// The members that an annotation carries beside its position.
struct AnnotationOptions: Hashable, Sendable {
  /// The properties that a pin or member carries.
  enum PropertySelection: Hashable, Sendable {
    case all, none
    case names(PropertyNames)

    /// Whether a property is selected, named in UTF-8.
    func contains(_ name: [UInt8]) -> Bool {
      switch self {
      case .all: true
      case .none: false
      case .names(let names): names.contains(name)
      }
    }
  }

  /// Whether annotations are GeoJSON features.
  var isGeoJSON = false
  /// Whether the ids of GeoJSON features are texts, as not all features of the collection have integers. Those of one
  /// answer are of one type, and left out of pins that have the other; clusters have ids of both.
  var hasTextIDs = false
  /// The property whose value is a feature's title, in UTF-8.
  var titleProperty: [UInt8]?
  /// The most titles in a cluster's subtitle.
  var subtitleLimit = 5
  var properties = PropertySelection.all
  /// The most names of properties that a pin or member carries.
  static let maximumProperties = 1000
  /// The most features that a cluster lists.
  var members = 0
  /// Whether clusters carry the convex hull of their features.
  var hull = false
  /// Whether clusters tell where they come apart.
  var expansion = false
  /// The members that an annotation carries.
  var fields = AnnotationFields.all

  /// The property whose value is a feature's title, if annotations carry texts.
  var neededTitleProperty: [UInt8]? {
    fields.isDisjoint(with: [.title, .subtitle]) ? nil : titleProperty
  }

  /// Whether clusters carry their hulls, or tell where they come apart.
  var needsHull: Bool { hull && fields.contains(.hull) }
  var needsExpansion: Bool {
    expansion && !fields.isDisjoint(with: [.expansionZoom, .visibleMapRect])
  }

  private static let standard = AnnotationOptions()

  /// The needs of the members.
  var needs: Needs {
    let standard = AnnotationOptions.standard
    guard self != standard else { return [] }
    var (needs, rest) = (Needs(), self)
    needs.tell(&rest.isGeoJSON, standard.isGeoJSON, .geoJSON)
    needs.tell(&rest.hasTextIDs, standard.hasTextIDs)
    needs.tell(
      &rest.titleProperty, standard.titleProperty,
      neededTitleProperty == nil ? .notes : [.texts, .notes])
    needs.tell(&rest.subtitleLimit, standard.subtitleLimit)
    // Each pin has a record, of which this is a part.
    needs.tell(&rest.properties, standard.properties)
    needs.tell(&rest.members, standard.members, fields.contains(.members) ? .lists : [])
    needs.tell(&rest.hull, standard.hull, needsHull ? .hulls : [])
    needs.tell(&rest.expansion, standard.expansion, needsExpansion ? .expansions : [])
    needs.tell(&rest.fields, standard.fields)
    if rest != standard { needs.insert(.unknown) }
    return needs
  }

  /// The approximate size of the parts of variable length, in bytes.
  var byteCount: Int {
    var total = titleProperty?.count ?? 0
    if case .names(let names) = properties { total += names.byteCount }
    return total
  }
}
