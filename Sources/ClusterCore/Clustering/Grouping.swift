/// The property by which features are grouped, with the groups' own settings.
public struct Grouping: Sendable {
  /// The settings of a group that replace those of the request.
  public struct Override: Sendable {
    /// The cells.
    public var cells: GridRange
    /// The width of a cell in points.
    public var cellSize: Double
    /// The settings.
    public var settings: ClusterSettings

    /// Creates an override.
    public init(cells: GridRange, cellSize: Double, settings: ClusterSettings) {
      self.cells = cells
      self.cellSize = cellSize
      self.settings = settings
    }
  }

  /// The name of the property, in UTF-8.
  public let property: [UInt8]
  /// The key of each feature.
  public let keys: KeyColumn
  /// The overrides of groups, by key.
  public var overrides: [[UInt8]: Override] = [:]

  /// Creates a grouping by a property.
  public init(property: [UInt8], keys: KeyColumn, overrides: [[UInt8]: Override] = [:]) {
    self.property = property
    self.keys = keys
    self.overrides = overrides
  }

  /// The group of a rank.
  func group(_ rank: Int) -> ClusterGroup {
    let key = keys.groupKey(rank)
    return ClusterGroup(name: GroupName(property: property, key: key), key: key)
  }
}

/// One of the groups that are clustered separately.
public struct ClusterGroup: Sendable {
  /// The part of annotations' ids that names it.
  public let name: GroupName
  /// The key of the value that its features share; nil for the features without a value.
  public let key: [UInt8]?
}

extension KeyColumn {
  /// The key of the group with a rank; nil for the features without a value.
  func groupKey(_ rank: Int) -> [UInt8]? { rank == 0 ? nil : keys[rank] }

  /// The rank of a group's key; nil if no feature has it.
  func rank(of name: GroupName) -> UInt32? {
    switch name.key {
    case nil: return 0
    case .whole(let key): return rank(of: key)
    case .hash: return (1..<keys.count).first { name.isOf(key: keys[$0]) }.map(UInt32.init)
    }
  }
}
