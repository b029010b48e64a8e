/// The features of a collection's index that are in some shapes and pass a filter.
final class FilterRegion: IndexRegion {
  /// The shapes; everywhere if there are none.
  let shapes: ShapesRegion
  /// The conditions beside the shapes; nil if there are none.
  let filter: BoundFilter?
  /// The known bits of the filter; nil if they aren't worth keeping.
  let masks: FilterMasks?

  init(shapes: ShapesRegion, filter: BoundFilter?, masks: FilterMasks?) {
    (self.shapes, self.filter, self.masks) = (shapes, filter, masks)
  }

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let place = shapes.isEmpty ? .inside : shapes.coverage(of: node, in: pointers)
    guard let filter, place != .outside else { return place }
    guard let block = pointers.block(holding: node, pointers.node(node)) else { return .partial }
    switch filter.coverage(ofBlock: block) {
    case .outside: return .outside
    case .inside: return place
    case .partial: return .partial
    }
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    if let filter {
      let (number, offset) = (
        ordinal &>> PointIndex.blockBits, ordinal & (PointIndex.maximumBlockCount - 1)
      )
      if let words = masks?.block(number)?.words {
        guard words[offset &>> 6] &>> UInt64(offset & 63) & 1 != 0 else { return false }
      } else if !filter.passes(ordinal) {
        return false
      }
    }
    return shapes.isEmpty || shapes.contains(ordinal, in: pointers)
  }
}
