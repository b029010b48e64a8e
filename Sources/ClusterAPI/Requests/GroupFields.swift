import ClusterCore
import GeoFormats

/// What one group has of its own: an element of `groups`.
struct GroupFields {
  static let names = [
    "cellSize", "clusterer", "maxZoomLevelForClustering", "minUniqueLocationsForClustering",
    "minPoints",
  ]
  /// More groups than an answer can have.
  static let maximumGroups = ClusterRequest.maximumLimit
}

extension Fields {
  /// The settings of single groups, by key; what one doesn't have is the request's.
  func groupOverrides(
    _ viewport: Viewport, _ settings: ClusterSettings
  ) throws -> [[UInt8]: Grouping.Override] {
    let overrides = try withJSON("groups") { json in
      var overrides: [[UInt8]: Grouping.Override] = [:]
      guard json.count <= GroupFields.maximumGroups else {
        throw problem(
          "groups", status: 422,
          "groups has \(json.count) keys, more than \(GroupFields.maximumGroups)")
      }
      for member in try members(of: json, at: "groups") where member.value.kind != .null {
        let fields = try object(member.value, at: member.pointer, allowed: GroupFields.names)
        overrides[Array(member.name.utf8)] = try fields.groupOverride(
          viewport, settings, at: member.pointer)
      }
      return overrides
    }
    guard let overrides else { return [:] }
    guard has("groupBy") else {
      throw problem("groups", status: 422, "groups without groupBy: there are none")
    }
    return overrides
  }

  private func groupOverride(
    _ viewport: Viewport, _ settings: ClusterSettings, at pointer: String
  ) throws -> Grouping.Override {
    var settings = settings
    try readThresholds(into: &settings)
    do {
      try settings.validate()
      guard let cellSize = try number("cellSize") else {
        return Grouping.Override(
          cells: viewport.cells, cellSize: viewport.cellSize, settings: settings)
      }
      return Grouping.Override(
        cells: try viewport.cells(ofSize: cellSize), cellSize: cellSize, settings: settings)
    } catch let error as ImpossibleRequest {
      throw problem(error.field, status: 422, error.detail)
    }
  }
}
