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
    requiredCount = priorities.reduce(0) {
      $0 + (CollisionOrder.clamped($1) >= CollisionOrder.highest ? 1 : 0)
    }
    let areWhole = priorities.allSatisfy {
      let priority = CollisionOrder.clamped($0)
      return priority == Double(Int(priority))
    }
    places =
      areWhole ? CollisionOrder.byWholeNumber(priorities) : CollisionOrder.byNumber(priorities)
  }

  /// Sorts by whole numbers, as priorities mostly are: one step for each feature.
  private static func byWholeNumber(_ priorities: [Double]) -> FixedArray<UInt32> {
    var starts = [Int](repeating: 0, count: Int(highest) + 2)
    for priority in priorities { starts[Int(highest - clamped(priority)) + 1] += 1 }
    for rank in 1..<starts.count { starts[rank] += starts[rank - 1] }
    let places = FixedArray<UInt32>(uninitialized: priorities.count)
    for (place, priority) in priorities.enumerated() {
      let rank = Int(highest - clamped(priority))
      places.pointer[starts[rank]] = UInt32(place)
      starts[rank] += 1
    }
    return places
  }

  private static func byNumber(_ priorities: [Double]) -> FixedArray<UInt32> {
    let count = priorities.count
    let keys = FixedArray<UInt64>(uninitialized: count)
    let places = FixedArray<UInt32>(uninitialized: count)
    for place in 0..<count {
      // The bits of numbers that aren't negative are ordered as they are.
      keys.pointer[place] = ~clamped(priorities[place]).bitPattern
      places.pointer[place] = UInt32(place)
    }
    let scratch = LargeMemory(byteCount: RadixSort.scratchBytes(count: max(count, 1)))
    RadixSort.sort(keys: keys, values: places, scratch: scratch)
    return places
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
