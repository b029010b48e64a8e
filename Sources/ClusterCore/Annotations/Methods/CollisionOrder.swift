/// The order in which the collision method visits features: by descending priority, then in index order.
struct CollisionOrder {
  static let highest: Double = 1000
  static let usual: Double = 500

  /// The clamped priorities by ordinal; nil if all are equal to `common`.
  private let priorities: [Double]?
  private let common: Double
  /// The ordinals in this order; nil for index order.
  let ordinals: FixedArray<UInt32>?
  /// The number of features with the highest priority, which are always placed. They come first.
  let requiredCount: Int

  /// - Parameter priorities: The priorities by ordinal, NaN for features without one; nil if none has one.
  init(_ priorities: [Double]?, count: Int) {
    let clamped = priorities?.map(CollisionOrder.clamped)
    let first = clamped?.first ?? CollisionOrder.usual
    common = first
    guard let clamped, clamped.contains(where: { $0 != first }) else {
      (self.priorities, ordinals) = (nil, nil)
      requiredCount = first >= CollisionOrder.highest ? count : 0
      return
    }
    self.priorities = clamped
    requiredCount = clamped.count { $0 >= CollisionOrder.highest }
    let areWhole = clamped.allSatisfy { $0 == $0.rounded(.down) }
    ordinals = areWhole ? CollisionOrder.byWholeNumber(clamped) : CollisionOrder.byNumber(clamped)
  }

  /// Sorts by whole numbers, which priorities usually are, in linear time.
  private static func byWholeNumber(_ priorities: [Double]) -> FixedArray<UInt32> {
    var starts = [Int](repeating: 0, count: Int(highest) + 2)
    for priority in priorities { starts[Int(highest - priority) + 1] += 1 }
    for rank in 1..<starts.count { starts[rank] += starts[rank - 1] }
    let ordinals = WritableArray<UInt32>(count: priorities.count)
    for (ordinal, priority) in priorities.enumerated() {
      let rank = Int(highest - priority)
      ordinals.pointer[starts[rank]] = UInt32(ordinal)
      starts[rank] += 1
    }
    return ordinals.fixed
  }

  private static func byNumber(_ priorities: [Double]) -> FixedArray<UInt32> {
    let count = priorities.count
    let keys = WritableArray<UInt64>(count: count)
    let ordinals = WritableArray<UInt32>(count: count)
    for ordinal in 0..<count {
      // Non-negative numbers are ordered like their bits.
      keys.pointer[ordinal] = ~priorities[ordinal].bitPattern
      ordinals.pointer[ordinal] = UInt32(ordinal)
    }
    RadixSort.sort(keys: keys.pointer, values: ordinals.pointer, count: count)
    return ordinals.fixed
  }

  /// A priority within 0…1000, never −0.
  @inline(__always)
  private static func clamped(_ priority: Double) -> Double {
    if priority.isNaN { return usual }
    return priority > 0 ? min(priority, highest) : 0
  }

  func priority(of ordinal: Int) -> Double { priorities?[ordinal] ?? common }
}
