/// The way in which the features that pass a filter are found.
///
/// It is chosen here and nowhere else: for requests, for tenants' views and for deletions. The ways hand on one of two
/// representations: selected features with an index of only those (``FeatureSelection``, or a collection of its own for
/// tenants), or a region of all features whose bits are added up (``FilterRegion``).
public enum FilterPlan: Hashable, Sendable {
  /// Nothing is asked of features.
  case everything
  /// Ids are asked for: these features are looked up, however many others there are.
  case listed
  /// They were selected by an earlier request: only blocks that have changed since are looked at.
  case remembered
  /// Sums will do, so nothing is selected: blocks of which all or no features pass are told by their least and greatest
  /// values, and of others a bit for each feature is added up. The world of 3 million takes 43 ms of processor time, and
  /// 139 ms if they are selected. Bits of large views are kept: of 10 million, on another grid, 7 ms instead of 34 ms.
  case addedUp(keepingBits: Bool)
  /// Single features of a large part of the collection are needed: they are selected from all of it and remembered, as the
  /// next view is likely to be another part.
  case selectedFromAll
  /// Single features of a small part are needed: only features near are looked at, and nothing is remembered.
  case selectedNearby
  /// Those that passed before are known to a collection of its own: only blocks that have changed since are looked at.
  case followed

  /// The fraction of a whole that is much of it: looking at all of it is then worth while.
  private static let muchOf = 4.0
  /// The number of features of a view from which on the bits of a filter are worth keeping.
  static let manyBits = 100_000.0
  /// The number of features of a view from which on sharing the blocks within a whole shape is quicker than copying them.
  static let manyCopies = 20_000.0
  /// The number of corners of shapes up to which they are compared with one cell after the other.
  static let manyCorners = 1000
  /// The number of features in changed blocks up to which these are always few.
  static let fewChanged = 16.0 * Double(PointIndex.maximumBlockCount)

  /// Whether some features are much of a whole.
  static func isMuch(_ part: Double, of whole: Double) -> Bool { part > whole / muchOf }

  /// Plans a view of about `nearby` features that are in it and in the shapes of a filter, of `whole` in these shapes.
  ///
  /// - Parameter hasConditions: whether there are other conditions than shapes.
  static func selecting(
    _ nearby: Double, of whole: @autoclosure () -> Double, hasConditions: Bool
  ) -> FilterPlan {
    !hasConditions && nearby > manyCopies || isMuch(nearby, of: whole())
      ? .selectedFromAll : .selectedNearby
  }

  /// Plans the step of a collection of its own to a version with so many features in blocks that have changed, of `whole`.
  static func following(_ changed: Int, of whole: Int) -> FilterPlan {
    isMuch(Double(changed) - fewChanged, of: Double(whole)) ? .selectedFromAll : .followed
  }
}

extension FilterPlan {
  /// Plans to find the features of a collection that pass a filter, at least those in a region.
  ///
  /// - Parameters:
  ///   - isSummedUp: whether sums will do.
  ///   - byCell: whether each cell is added up by itself, and so compared with all corners of shapes.
  init(
    _ filter: FeatureFilter?, of collection: IndexedCollection, near region: AnyRegion,
    isSummedUp: Bool = false, byCell: Bool = false
  ) {
    let points = collection.index.points
    guard let filter, filter.expression != .literal(true) else {
      self = .everything
      return
    }
    if filter.ids != nil {
      self = .listed
    } else if collection.scopes.contains(ScopeName(filter: filter.expression)) {
      self = .remembered
    } else if isSummedUp, !byCell || filter.shapes.cornerCount <= FilterPlan.manyCorners {
      let isLarge = filter.rest != nil && points.estimatedCount(in: region) > FilterPlan.manyBits
      self = .addedUp(keepingBits: isLarge)
    } else {
      let shapes = filter.shapes
      self = .selecting(
        points.estimatedCount(in: shapes.narrowing(region)),
        of: points.estimatedCount(in: shapes.narrowing(AnyRegion(EverywhereRegion()))),
        hasConditions: filter.rest != nil)
    }
  }
}
