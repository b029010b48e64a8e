/// Every feature.
struct EverywhereRegion: IndexRegion {
  @inline(__always)
  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage { .inside }
  @inline(__always)
  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool { true }
}
