/// The features of a new scope in index order.
struct SelectedPoints {
  let ordinals: FixedArray<UInt32>
  let positions: FixedArray<Position>
  let references: FixedArray<RecordReference>
  private(set) var count = 0

  /// Allocates memory for `capacity` features, all of which must be appended.
  init(capacity: Int) {
    ordinals = FixedArray(uninitialized: capacity)
    positions = FixedArray(uninitialized: capacity)
    references = FixedArray(uninitialized: capacity)
  }

  /// Appends a feature with its ordinal in the collection.
  @inline(__always)
  mutating func append(_ ordinal: UInt32, _ position: Position, _ reference: RecordReference) {
    ordinals.pointer[count] = ordinal
    positions.pointer[count] = position
    references.pointer[count] = reference
    count &+= 1
  }
}
