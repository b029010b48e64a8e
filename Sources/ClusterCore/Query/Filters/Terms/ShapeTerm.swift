import Threading

/// True if the feature is in a region.
struct ShapeTerm: SlowTerm {
  let index: FeatureIndex
  let region: ShapesRegion

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    Cancellation.poll(candidates.nonzeroBitCount * 100)
    let pointers = index.points.pointers
    return withExtendedLifetime(index) {
      candidates.filtered { region.contains(ordinal + $0, in: pointers) }
    }
  }

  func coverage(ofBlock number: Int) -> Coverage {
    region.coverage(of: index.blocks[number].points)
  }
}
