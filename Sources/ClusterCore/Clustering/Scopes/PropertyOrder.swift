import Threading

/// An order of a collection's features by the values of some properties.
///
/// Numbers come first, then strings by their UTF-8, then false and true; descending, these are the other way
/// round. Features without such a value come last in either direction. Features that are equal by all properties
/// are in index order, so that the order is strict.
public struct PropertyOrder: Sendable {
  /// The most properties that an order goes by.
  public static let maximumKeys = 4

  /// A property to order by.
  public struct Key: Sendable {
    let column: PropertyColumn
    let isDescending: Bool

    /// Creates a key from the values of all features.
    public init(_ column: PropertyColumn, isDescending: Bool) {
      (self.column, self.isDescending) = (column, isDescending)
    }

    /// The kinds of values in ascending order; those without an order are last.
    private static func kind(_ code: PropertyColumn.Code, _ column: PropertyColumn) -> Int {
      switch code {
      case PropertyColumn.missing: 3
      case PropertyColumn.number: 0
      case PropertyColumn.false, PropertyColumn.true: 2
      default: column.isString(entry: code) ? 1 : 3
      }
    }

    /// Negative if a feature comes before another, positive if after it, 0 if this key doesn't tell.
    fileprivate func compare(_ a: Int, _ b: Int) -> Int {
      let (x, y) = (column.code(at: a), column.code(at: b))
      let (kindX, kindY) = (Key.kind(x, column), Key.kind(y, column))
      var order: Int
      if kindX != kindY {
        if kindX == 3 || kindY == 3 { return kindX - kindY }
        order = kindX - kindY
      } else if kindX == 3 || x == y && kindX != 0 {
        return 0
      } else if kindX == 0 {
        let (first, second) = (column.number(at: a), column.number(at: b))
        order = first < second ? -1 : first > second ? 1 : 0
      } else if kindX == 1 {
        order = ByteOrder.compare(column.bytes(ofEntry: x), column.bytes(ofEntry: y))
      } else {
        order = Int(x) - Int(y)
      }
      if isDescending { order = -order }
      return order
    }
  }

  private let keys: [Key]

  /// Creates an order by some keys, the first of which counts most.
  public init(_ keys: [Key]) {
    precondition(keys.count <= PropertyOrder.maximumKeys, "an order of too many keys")
    self.keys = keys
  }

  private func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
    for key in keys {
      let order = key.compare(Int(a), Int(b))
      if order != 0 { return order < 0 }
    }
    return a < b
  }

  /// Moves those of some ordinals to a range of places that belong there in this order.
  func arrange(_ ordinals: inout [UInt32], _ places: Range<Int>) {
    ordinals.withUnsafeMutableBufferPointer {
      PartialSort.arrange($0, places, nanoseconds: 60 * keys.count, by: precedes)
    }
  }
}

extension FeatureScope {
  /// Returns the ordinals in the collection of at most `limit` features in a region, or of all, in an order of
  /// their properties, after the first `offset` ones. Linear in the features of the region.
  ///
  /// - Throws: ``ImpossibleRequest/outOfMemory``.
  public func ordinals(
    in region: DegreesRegion?, by order: PropertyOrder, offset: Int, limit: Int
  ) throws(ImpossibleRequest) -> [Int] {
    let total = count(in: region)
    guard offset < total, limit > 0 else { return [] }
    var all = try ImpossibleRequest.withMemory(of: total * 4) {
      var all: [UInt32] = []
      all.reserveCapacity(total)
      return all
    }
    points.forEachOrdinal(in: AnyRegion(region)) { ordinal in
      all.append(UInt32(collectionOrdinal(ordinal)))
      return !Cancellation.poll(10)
    }
    // Cancelled work may have found fewer.
    guard offset < all.count else { return [] }
    let places = offset..<min(offset + limit, all.count)
    order.arrange(&all, places)
    return all[places].map(Int.init)
  }
}
