/// Every feature.
struct EverywhereRegion: IndexRegion {
  @inline(__always)
  func coverage(of node: Int, in view: IndexPointers) -> Coverage { .inside }
  @inline(__always)
  func contains(_ place: Int, in view: IndexPointers) -> Bool { true }
}
