import ClusterCore
import GeoFormats

/// What one group has of its own: an element of `groups`.
struct GroupFields {
  var key: [UInt8]
  /// A JSON pointer to it.
  var pointer: String
  var cellSize: Double?
  var settings: ClusterSettings

  static let names = [
    "cellSize", "clusterer", "maxZoomLevelForClustering", "minUniqueLocationsForClustering",
    "minPoints",
  ]
  /// More groups than an answer can have.
  static let maximumGroups = ClusterRequest.maximumLimit
}

extension Fields {
  /// The settings of single groups; what one doesn't have is the request's. Nil where none are given.
  func groups(_ settings: ClusterSettings) throws -> [GroupFields]? {
    try withJSON("groups") { json in
      guard json.count <= GroupFields.maximumGroups else {
        throw problem(
          "groups", status: 422,
          "groups has \(json.count) keys, more than \(GroupFields.maximumGroups)")
      }
      return try members(of: json, at: "groups").filter { $0.value.kind != .null }.map {
        let fields = try object($0.value, at: $0.pointer, allowed: GroupFields.names)
        return try fields.group(Array($0.name.utf8), settings, at: $0.pointer)
      }
    }
  }

  private func group(
    _ key: [UInt8], _ settings: ClusterSettings, at pointer: String
  ) throws -> GroupFields {
    var group = GroupFields(key: key, pointer: pointer, settings: settings)
    try readThresholds(into: &group.settings)
    group.cellSize = try number("cellSize")
    do {
      try group.settings.validate()
      if let cellSize = group.cellSize { try Viewport.check(cellSize: cellSize) }
    } catch {
      throw problem(error.field, status: 422, error.detail)
    }
    return group
  }

  /// The settings of single groups in a view, by key.
  func groupOverrides(
    _ viewport: Viewport, _ settings: ClusterSettings
  ) throws -> [[UInt8]: Grouping.Override] {
    guard let groups = try groups(settings) else { return [:] }
    guard has("groupBy") else {
      throw problem("groups", status: 422, "groups without groupBy: there are none")
    }
    var overrides: [[UInt8]: Grouping.Override] = [:]
    for group in groups {
      let cellSize = group.cellSize ?? viewport.cellSize
      do {
        overrides[group.key] = Grouping.Override(
          cells: cellSize == viewport.cellSize
            ? viewport.cells : try viewport.cells(ofSize: cellSize),
          cellSize: cellSize, settings: group.settings)
      } catch {
        throw problem("\(group.pointer)/\(error.field)", status: 422, error.detail)
      }
    }
    return overrides
  }
}
