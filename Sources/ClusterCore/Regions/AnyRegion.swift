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

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage { coverage(node, pointers) }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool { contains(ordinal, pointers) }
}
