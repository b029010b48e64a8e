import ClusterCore
import GeoFormats

/// The settings of one group: an element of `groups`.
struct GroupOptions: Hashable, Sendable {
  var key: [UInt8]
  /// A JSON pointer to it.
  var pointer: String
  /// In points; nil for that of the request.
  var cellSize: Double?
  /// The settings of the request with those of the group in their place.
  var settings: ClusterSettings

  fileprivate static let names = ViewportField.names(.group)
}

extension Fields {
  /// The settings of single groups, with those of the request for the rest.
  func groups(_ name: String, inheriting settings: ClusterSettings) throws -> [GroupOptions]? {
    try withJSON(name) { json in
      // As many as an answer can have annotations.
      try checkCount(json.count, "keys", of: name, atMost: ClusterRequest.maximumLimit)
      return try members(of: json, at: name).filter { $0.value.kind != .null }.map {
        let fields = try object($0.value, at: $0.pointer, allowed: GroupOptions.names)
        var values = ViewportValues()
        values.cell.settings = settings
        try fields.read(.settings, .cellSize, of: .group, into: &values)
        do throws(ImpossibleRequest) {
          try values.cell.settings.validate()
          if let cellSize = values.cellSize { try Viewport.check(cellSize: cellSize) }
        } catch {
          throw fields.problem(error.field, status: 422, error.detail)
        }
        return GroupOptions(
          key: Array($0.name.utf8), pointer: $0.pointer, cellSize: values.cellSize,
          settings: values.cell.settings)
      }
    }
  }
}
