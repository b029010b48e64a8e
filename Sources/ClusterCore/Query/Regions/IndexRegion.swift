/// A set of features that is defined by their location in the index.
protocol IndexRegion: Sendable {
  /// Returns how much of a node is in the region. `.partial` is always a correct answer.
  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage
  /// Returns exactly whether the feature with an ordinal is in the region.
  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool
}

/// Every feature.
struct EverywhereRegion: IndexRegion {
  @inline(__always)
  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage { .inside }
  @inline(__always)
  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool { true }
}

/// A region of any kind. The compiler makes a walk of its own for each kind of region; this one kind is for walks
/// that are too short, or too rare, to be worth that.
struct AnyRegion: IndexRegion {
  // Closures and not `any IndexRegion`, whose calls are slow where a region is made of others.
  private let coverage: @Sendable (Int, IndexPointers) -> Coverage
  private let contains: @Sendable (Int, IndexPointers) -> Bool

  init(_ region: some IndexRegion) {
    coverage = { region.coverage(of: $0, in: $1) }
    contains = { region.contains($0, in: $1) }
  }

  /// The features in a bbox; everywhere if there is none.
  init(_ bbox: DegreesRegion?) {
    if let bbox { self.init(bbox) } else { self.init(EverywhereRegion()) }
  }

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage { coverage(node, pointers) }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool { contains(ordinal, pointers) }
}

/// The features in both of two regions.
struct IntersectionRegion<A: IndexRegion, B: IndexRegion>: IndexRegion {
  let a: A
  let b: B

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    switch (a.coverage(of: node, in: pointers), b.coverage(of: node, in: pointers)) {
    case (.outside, _), (_, .outside): .outside
    case (.inside, .inside): .inside
    default: .partial
    }
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    a.contains(ordinal, in: pointers) && b.contains(ordinal, in: pointers)
  }
}

/// The features in any of several regions, or all features if there are no regions.
struct UnionRegion<Part: IndexRegion>: IndexRegion {
  let parts: [Part]

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    var union = parts.isEmpty ? Coverage.inside : .outside
    for part in parts {
      switch part.coverage(of: node, in: pointers) {
      case .inside: return .inside
      case .partial: union = .partial
      case .outside: break
      }
    }
    return union
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    parts.isEmpty || parts.contains { $0.contains(ordinal, in: pointers) }
  }
}

/// The feature with one ordinal, or all features except a few.
struct OrdinalRegion: IndexRegion {
  let excluded: OrdinalSet
  let only: Int?

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let points = pointers.points(of: node)
    if let only { return points.contains(only) ? .partial : .outside }
    return excluded.intersects(points) ? .partial : .inside
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    only.map { $0 == ordinal } ?? !excluded.contains(ordinal)
  }
}

extension IndexRegion {
  /// The region without some features.
  func without(_ excluded: OrdinalSet) -> IntersectionRegion<Self, OrdinalRegion> {
    IntersectionRegion(a: self, b: OrdinalRegion(excluded: excluded, only: nil))
  }
}

/// A region that tells from the box of a node's points how much of the node is in it.
protocol BoxRegion: IndexRegion {
  /// Returns how much of a box is in the region. `.partial` is always a correct answer.
  func coverage(of box: PositionBox) -> Coverage
  /// Returns exactly whether a coordinate is in the region.
  func contains(_ coordinate: Coordinate) -> Bool
}

extension BoxRegion {
  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    coverage(of: pointers.node(node).box)
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    switch coverage(of: PositionBox(pointers.position(ordinal))) {
    case .inside: true
    case .outside: false
    case .partial: contains(pointers.coordinate(ordinal))
    }
  }
}

extension ShapesRegion {
  /// Returns how much of a block is in the shapes. `.partial` is always a correct answer.
  func coverage(of block: PointBlock) -> Coverage {
    block.tree.count > 0 ? coverage(of: block.tree.nodes.pointer[0].box) : .partial
  }

  /// The part of another region that is in the shapes.
  func narrowing(_ region: AnyRegion) -> AnyRegion {
    isEmpty ? region : AnyRegion(IntersectionRegion(a: region, b: self))
  }
}
