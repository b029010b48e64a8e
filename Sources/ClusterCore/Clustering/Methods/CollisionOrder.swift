/// The order in which the collision method deals with features: the highest priority first, then in
/// index order.
struct CollisionOrder {
  static let highest: Double = 1000
  static let usual: Double = 500

  /// By place; nil if all are the same.
  private let priorities: [Double]?
  private let common: Double
  /// Nil for index order.
  let places: FixedArray<UInt32>?
  /// How many come first because they are placed even where they hide others.
  let requiredCount: Int

  /// - Parameter priorities: by place, NaN where there is none; nil if nowhere is one.
  init(_ priorities: [Double]?, count: Int) {
    let first = CollisionOrder.clamped(priorities?.first ?? .nan)
    common = first
    guard let priorities, priorities.contains(where: { CollisionOrder.clamped($0) != first })
    else {
      (self.priorities, places) = (nil, nil)
      requiredCount = first >= CollisionOrder.highest ? count : 0
      return
    }
    self.priorities = priorities
    var requiredCount = 0
    let keys = FixedArray<UInt64>(uninitialized: count)
    let values = FixedArray<UInt32>(uninitialized: count)
    for place in 0..<count {
      let priority = CollisionOrder.clamped(priorities[place])
      if priority >= CollisionOrder.highest { requiredCount += 1 }
      // The bits of numbers that aren't negative are ordered as they are.
      keys.pointer[place] = ~priority.bitPattern
      values.pointer[place] = UInt32(place)
    }
    self.requiredCount = requiredCount
    let scratch = LargeMemory(byteCount: RadixSort.scratchBytes(count: max(count, 1)))
    RadixSort.sort(keys: keys, values: values, scratch: scratch)
    places = values
  }

  /// 0…1000, never −0.
  @inline(__always)
  private static func clamped(_ priority: Double) -> Double {
    if priority.isNaN { return usual }
    return priority > 0 ? min(priority, highest) : 0
  }

  func priority(of place: Int) -> Double {
    guard let priorities else { return common }
    return CollisionOrder.clamped(priorities[place])
  }
}
