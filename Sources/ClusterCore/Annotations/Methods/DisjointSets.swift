/// Disjoint sets of ordinals (union–find). Each is identified by its smallest ordinal, its root.
struct DisjointSets: ~Copyable {
  private let parents: UnsafeMutablePointer<UInt32>

  /// Creates a set of its own for each ordinal of 0..<count.
  init(count: Int) {
    parents = .allocate(capacity: max(count, 1))
    for ordinal in 0..<count { parents[ordinal] = UInt32(truncatingIfNeeded: ordinal) }
  }

  deinit { parents.deallocate() }

  /// The root of an ordinal's set. Halves the path to it for later calls.
  @inline(__always)
  func root(of ordinal: Int) -> Int {
    var ordinal = UInt32(truncatingIfNeeded: ordinal)
    var parent = parents[Int(ordinal)]
    while parent != ordinal {
      let next = parents[Int(parent)]
      parents[Int(ordinal)] = next
      (ordinal, parent) = (next, parents[Int(next)])
    }
    return Int(ordinal)
  }

  @inline(__always)
  func unite(_ a: Int, _ b: Int) {
    let (a, b) = (root(of: a), root(of: b))
    // The smaller root stays; path halving keeps paths short in either case.
    if a < b { parents[b] = UInt32(truncatingIfNeeded: a) }
    if b < a { parents[a] = UInt32(truncatingIfNeeded: b) }
  }
}
