/// The widest gap between the longitudes of an index's features, other than the one across 180°. The span of
/// longitudes that leaves it out is the shortest one. It is found without looking at most features, unlike a
/// ``LongitudeGap`` between those of an annotation.
///
/// A gap counts only if it is wider than that across 180°, and wide enough to hold a whole bucket: one of equal parts
/// of the world, of which two fit into the gap across 180°, but no more than 4,096. So all gaps of more than 0.18° count,
/// and the result depends on the features alone, not on how the index has grown.
struct PositionGap {
  /// The features' steps at its edges, west and east; none is between.
  let west, east: UInt32

  private var width: UInt32 { east - west }

  /// Finds it. Nil if no gap is wider than that across 180°. Takes about 20 nodes for each bucket, and those across
  /// the gap.
  init?(of pointers: IndexPointers, in box: PositionBox) {
    let outer = 1 << 32 - Int(box.maxX - box.minX)
    // Both can't be wider than half of the world.
    guard outer < 1 << 31 else { return nil }
    var buckets = Buckets(outer: outer)
    buckets.fill(from: pointers)
    var gaps = buckets.gaps.filter { Int($0.width) > outer + PositionGap.slack }
    // The approximate edges of a gap never make it narrower than it is.
    while let widest = gaps.indices.max(by: {
      gaps[$0].width < gaps[$1].width || gaps[$0].width == gaps[$1].width && $0 > $1
    }) {
      let exact = PositionGap(gaps[widest], of: pointers, buckets.shift)
      if exact.width == gaps[widest].width {
        (west, east) = (exact.west, exact.east)
        return
      }
      if Int(exact.width) > outer + PositionGap.slack {
        gaps[widest] = exact
      } else {
        gaps.remove(at: widest)
      }
    }
    return nil
  }

  /// By how many steps a gap must be wider than that across 180°, as a step at each edge is not seen.
  private static let slack = 2

  private init(west: UInt32, east: UInt32) { (self.west, self.east) = (west, east) }

  /// Narrows a gap to its true edges, which are in the same buckets.
  private init(_ known: PositionGap, of pointers: IndexPointers, _ shift: UInt32) {
    var (west, east) = (known.west, known.east)
    let bucket = west &>> shift
    func note(_ x: UInt32) {
      guard x > west, x < east else { return }
      if x &>> shift == bucket { west = x } else { east = x }
    }
    pointers.traverse { node in
      let own = pointers.nodes[node]
      note(own.box.minX)
      note(own.box.maxX)
      guard own.box.minX < east, own.box.maxX > west else { return .skip }
      if own.isLeaf {
        for ordinal in pointers.points(of: node) { note(pointers.positions[ordinal].x) }
      }
      return .open
    }
    self.init(west: west, east: east)
  }

  /// Equal parts of the world from west to east.
  private struct Buckets {
    /// A bucket is 2^shift steps wide.
    let shift: UInt32
    /// The least and the greatest steps that are known in each; where none is, the least is above the greatest.
    private var least, greatest: [UInt32]
    /// A bucket at or after each that nothing is known in, or one that leads nearer to it.
    private var empty: [Int]

    init(outer: Int) {
      // The greatest power of two up to a half, of no less than a 4096th of the world.
      shift = UInt32(max(20, Int.bitWidth - 1 - (outer / 2).leadingZeroBitCount))
      let count = 1 << (32 - Int(shift))
      least = Array(repeating: .max, count: count)
      greatest = Array(repeating: 0, count: count)
      empty = Array(0...count)
    }

    /// Notes features until all buckets are known that have any.
    mutating func fill(from pointers: IndexPointers) {
      pointers.traverse { node in
        let own = pointers.nodes[node]
        let (first, last) = (note(own.box.minX), note(own.box.maxX))
        guard first < last, firstEmpty(from: first) < last else { return .skip }
        if own.isLeaf {
          for ordinal in pointers.points(of: node) { _ = note(pointers.positions[ordinal].x) }
        }
        return .open
      }
    }

    /// The gaps that hold whole buckets, from west to east, no narrower than they are.
    var gaps: [PositionGap] {
      let known = least.indices.filter { least[$0] <= greatest[$0] }
      return zip(known, known.dropFirst()).compactMap { before, after in
        after - before > 1 ? PositionGap(west: greatest[before], east: least[after]) : nil
      }
    }

    private mutating func note(_ x: UInt32) -> Int {
      let bucket = Int(x &>> shift)
      if least[bucket] > greatest[bucket] { empty[bucket] = bucket + 1 }
      least[bucket] = min(least[bucket], x)
      greatest[bucket] = max(greatest[bucket], x)
      return bucket
    }

    private mutating func firstEmpty(from bucket: Int) -> Int {
      var found = bucket
      while empty[found] != found {
        // Halves the way for the next search.
        empty[found] = empty[empty[found]]
        found = empty[found]
      }
      return found
    }
  }
}
