/// Sets of places that are united step by step. Each is named by its first place, its root.
struct DisjointSets: ~Copyable {
  private let parents: UnsafeMutablePointer<UInt32>

  /// Each place of 0..<count on its own.
  init(count: Int) {
    parents = .allocate(capacity: max(count, 1))
    for place in 0..<count { parents[place] = UInt32(truncatingIfNeeded: place) }
  }

  deinit { parents.deallocate() }

  /// The root of a place's set, halving the way there for the next time.
  @inline(__always)
  func root(of place: Int) -> Int {
    var place = UInt32(truncatingIfNeeded: place)
    var parent = parents[Int(place)]
    while parent != place {
      let next = parents[Int(parent)]
      parents[Int(place)] = next
      (place, parent) = (next, parents[Int(next)])
    }
    return Int(place)
  }

  @inline(__always)
  func unite(_ a: Int, _ b: Int) {
    let (a, b) = (root(of: a), root(of: b))
    // The smaller root stays: halved ways are short whoever it is.
    if a < b { parents[b] = UInt32(truncatingIfNeeded: a) }
    if b < a { parents[a] = UInt32(truncatingIfNeeded: b) }
  }
}
