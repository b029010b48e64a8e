import ClusterCore

/// Everything that decides how a cell of a collection is printed, but for the cell and its features.
struct CellKey: Hashable, Sendable {
  private struct Aggregate: Hashable, Sendable {
    var name: String
    var operation: Statistics.Operation
    var property: [UInt8]
  }

  private enum Carried: Hashable, Sendable {
    case all, none
    case names([[UInt8]])
  }

  let grid: CellGrid
  private let cellSize: Double
  // How features are clustered.
  private let position: ClusterPosition
  private let isClusteringOff: Bool
  private let minUniqueLocations: Int
  private let minPoints: Int
  private let decluster: Bool
  private let distance: Double
  // Which ones, and what is said of their properties.
  private let filter: FilterExpression?
  private let groupBy: [UInt8]?
  private let weightBy: [UInt8]?
  private let countBy: [UInt8]?
  private let aggregates: [Aggregate]?
  // What else annotations carry.
  private let carried: Carried
  private let members: Int
  private let titleProperty: [UInt8]?
  private let subtitleLimit: Int
  private let isGeoJSON: Bool

  /// The longest that is kept, in bytes.
  private static let maximumBytes = 8 << 10

  /// The key of a view's cells; nil where they depend on more than their own features and what is here,
  /// or it takes too much to say.
  init?(_ view: ViewportRequest, isGeoJSON: Bool) {
    guard case .grid(let request, let overrides) = view.method, overrides.isEmpty, !view.debug,
      view.previous == nil, request.settings.keepApart.isEmpty
    else { return nil }
    let (settings, properties) = (request.settings, view.properties)
    grid = request.cells.grid
    cellSize = request.cellSize
    position = settings.position
    isClusteringOff = settings.maxZoomLevelForClustering.map { request.zoomLevel > $0 } ?? false
    minUniqueLocations = settings.minUniqueLocationsForClustering
    minPoints = settings.minPoints
    decluster = settings.decluster
    distance = settings.decluster ? settings.distanceFromContestedLocation : 0
    filter = properties.filter
    groupBy = properties.groupBy
    weightBy = properties.weightBy
    countBy = properties.countBy
    aggregates = properties.aggregates?.map {
      Aggregate(name: $0.name, operation: $0.operation, property: $0.property)
    }
    carried =
      switch view.output.properties {
      case .all: .all
      case .none: .none
      case .names(let names): .names(names)
      }
    members = view.output.members
    titleProperty = view.output.titleProperty
    subtitleLimit = view.output.subtitleLimit
    self.isGeoJSON = isGeoJSON
    guard byteCount <= CellKey.maximumBytes else { return nil }
  }

  /// The memory that it takes, in bytes, about.
  private var byteCount: Int {
    var total = (filter?.byteCount ?? 0) + (titleProperty?.count ?? 0)
    total += (groupBy?.count ?? 0) + (weightBy?.count ?? 0) + (countBy?.count ?? 0)
    if let aggregates {
      for aggregate in aggregates {
        total += 96 + aggregate.name.utf8.count + aggregate.property.count
      }
    }
    if case .names(let names) = carried { for name in names { total += 48 + name.count } }
    return total
  }
}

/// A key that knows its hash.
struct HashedCellKey: Hashable, Sendable {
  let key: CellKey
  let hash: Int

  init(_ key: CellKey) { (self.key, hash) = (key, key.hashValue) }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  static func == (a: Self, b: Self) -> Bool { a.hash == b.hash && a.key == b.key }
}
