/// A feature on its way into an index.
struct FeatureEntry: BitwiseCopyable {
  var position: Position
  var reference: RecordReference
  /// Its place in the index that a change was applied to.
  var origin = isNew
  /// When it expires, ``never`` if it doesn't.
  var expires: Int64

  static let isNew = UInt32.max
  static let never = Int64.max

  /// A new feature with a record that was just appended.
  init(_ reference: RecordReference, _ record: FeatureRecord) {
    position = Position(record.coordinate)
    self.reference = reference
    expires = record.expires ?? FeatureEntry.never
  }

  /// A feature of a block.
  init(_ offset: Int, of block: FeatureBlock, origin: Int) {
    position = block.points.positions.pointer[offset]
    reference = block.references.pointer[offset]
    self.origin = UInt32(origin)
    expires = block.expires?.pointer[offset] ?? FeatureEntry.never
  }
}
