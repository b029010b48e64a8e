/// Features of a collection on their way into a scope of their own, in index order.
struct SelectedPoints {
  let ordinals: FixedArray<UInt32>
  let positions: FixedArray<Position>
  let references: FixedArray<RecordReference>
  private(set) var count = 0

  /// Room for a number of features, all of which must come.
  init(capacity: Int) {
    ordinals = FixedArray(uninitialized: capacity)
    positions = FixedArray(uninitialized: capacity)
    references = FixedArray(uninitialized: capacity)
  }

  /// Appends a feature by its place in the collection.
  @inline(__always)
  mutating func append(_ ordinal: UInt32, _ position: Position, _ reference: RecordReference) {
    ordinals.pointer[count] = ordinal
    positions.pointer[count] = position
    references.pointer[count] = reference
    count &+= 1
  }
}
