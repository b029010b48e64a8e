/// Which features are clustered apart from which.
public struct Grouping: Sendable {
  /// What a group has of its own.
  public struct Override: Sendable {
    /// Its cells.
    public var cells: GridRange
    /// Their width in points.
    public var cellSize: Double
    /// How its features are clustered.
    public var settings: ClusterSettings

    /// Creates the settings of a group.
    public init(cells: GridRange, cellSize: Double, settings: ClusterSettings) {
      self.cells = cells
      self.cellSize = cellSize
      self.settings = settings
    }
  }

  /// The property, in UTF-8.
  public let property: [UInt8]
  /// The value of each feature.
  public let keys: KeyColumn
  /// What some groups have of their own, by key.
  public var overrides: [[UInt8]: Override] = [:]

  /// Groups by a property.
  public init(property: [UInt8], keys: KeyColumn, overrides: [[UInt8]: Override] = [:]) {
    self.property = property
    self.keys = keys
    self.overrides = overrides
  }

  /// The group of a rank.
  func group(_ rank: Int) -> ClusterGroup {
    let key = rank == 0 ? nil : keys.keys[rank]
    return ClusterGroup(name: GroupName(property: property, key: key), key: key)
  }
}
