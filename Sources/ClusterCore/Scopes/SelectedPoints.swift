/// The features of a new scope in index order.
struct SelectedPoints {
  let ordinals: WritableArray<UInt32>
  let positions: WritableArray<Position>
  let references: WritableArray<RecordReference>
  private(set) var count = 0

  /// Allocates memory for `capacity` features, all of which must be appended.
  init(capacity: Int) {
    ordinals = WritableArray(count: capacity)
    positions = WritableArray(count: capacity)
    references = WritableArray(count: capacity)
  }

  @inline(__always)
  mutating func append(_ ordinal: UInt32, _ position: Position, _ reference: RecordReference) {
    ordinals.pointer[count] = ordinal
    positions.pointer[count] = position
    references.pointer[count] = reference
    count &+= 1
  }
}
