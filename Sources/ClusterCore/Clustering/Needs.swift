/// The needs of an answer beyond the counts and sums of the cells of a grid, and the records of pins.
///
/// Options tell theirs by comparing themselves with their defaults, each kind of options in one place. Each way to an
/// answer has the set of needs that it serves, and is taken for answers whose needs are a subset of it:
///
///     if request.needs.isSubset(of: .plainCells) { … }
///
/// An option of which nobody says what it needs is ``unknown`` once it isn't as by default. No set holds that, so such
/// an answer is made in the one way that serves everything, and the option is never passed over.
public struct Needs: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt32

  /// Creates a set from its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Needs that are told by no option: everything that there is.
  public static let unknown = Needs(rawValue: 1 << 31)

  // MARK: Clustering

  /// Places of clusters that their cells or first features tell, in place of the means of their features.
  public static let places = Needs(rawValue: 1 << 0)
  /// Single features of cells, to make their annotations.
  public static let singles = Needs(rawValue: 1 << 1)
  /// Features that never join a cluster, given by their ids.
  public static let keptApart = Needs(rawValue: 1 << 2)
  /// Pins beside the coordinates of their features.
  public static let spreadPins = Needs(rawValue: 1 << 3)
  /// A comparison with the zoom above which nothing is clustered. At a zoom it comes to ``singles`` or nothing.
  public static let zoom = Needs(rawValue: 1 << 4)
  /// Layers for the values of a property.
  public static let groups = Needs(rawValue: 1 << 5)
  /// Settings of single groups, which may have grids of their own.
  public static let ownSettings = Needs(rawValue: 1 << 6)
  /// A method without a grid.
  public static let method = Needs(rawValue: 1 << 7)

  // MARK: Properties

  /// Conditions that features pass.
  public static let conditions = Needs(rawValue: 1 << 8)
  /// Conditions whose meaning depends on which features there are.
  public static let others = Needs(rawValue: 1 << 9)
  /// A span of time that isn't a condition yet, as the collection tells which properties hold times.
  public static let datetime = Needs(rawValue: 1 << 10)
  /// Notes on properties that are named.
  public static let notes = Needs(rawValue: 1 << 11)
  /// Statistics of properties, weights included.
  public static let statistics = Needs(rawValue: 1 << 12)
  /// Statistics that look at values one by one.
  public static let values = Needs(rawValue: 1 << 13)

  // MARK: Members of annotations

  /// Texts from the properties of features.
  public static let texts = Needs(rawValue: 1 << 14)
  /// Lists of the features of clusters.
  public static let lists = Needs(rawValue: 1 << 15)
  /// Hulls of clusters.
  public static let hulls = Needs(rawValue: 1 << 16)
  /// The zooms at which clusters come apart.
  public static let expansions = Needs(rawValue: 1 << 17)
  /// GeoJSON, in which annotations have other members.
  public static let geoJSON = Needs(rawValue: 1 << 18)
  /// Longitudes on one side of the antimeridian.
  public static let side = Needs(rawValue: 1 << 19)

  // MARK: The answer

  /// Members of the answer beside the annotations of its cells.
  public static let otherMembers = Needs(rawValue: 1 << 20)

  // MARK: Ways

  /// Served by cells of which each is one annotation, at the mean of its features (``PlainCells``).
  public static let plainCells: Needs = [.conditions, .others, .notes]
  /// Served by sums alone, and now and then a look at single features: those that pass a filter aren't selected.
  public static let sums: Needs = [
    .places, .conditions, .others, .notes, .hulls, .expansions, .geoJSON, .side,
  ]
  /// Served by keeping encoded cells, as each depends on nothing but its features and the options.
  public static let keptCells: Needs = [
    .places, .singles, .spreadPins, .groups, .conditions, .notes, .statistics, .values, .texts,
    .lists, .hulls, .expansions, .geoJSON,
  ]
}

extension Needs {
  /// Adds what an option needs if it isn't as by default, and puts it back, so that options that are as by default once
  /// all have been told have no others.
  ///
  /// - Parameter needs: the needs, found only if the option isn't as by default.
  @inlinable
  public mutating func tell<Value: Equatable>(
    _ option: inout Value, _ standard: Value, _ needs: @autoclosure () -> Needs = []
  ) {
    guard option != standard else { return }
    formUnion(needs())
    option = standard
  }
}
