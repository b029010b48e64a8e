/// A feature that is being added to an index.
struct FeatureEntry: BitwiseCopyable {
  var position: Position
  var reference: RecordReference
  /// Its ordinal in the old index, or ``isNew``.
  var origin = isNew
  /// Its expiry in milliseconds since 1970, or ``never``.
  var expires: Int64

  static let isNew = UInt32.max
  static let never = Int64.max

  /// Creates the entry of a new feature from its record in the arena.
  init(_ reference: RecordReference, _ record: FeatureRecord) {
    position = Position(record.coordinate)
    self.reference = reference
    expires = record.expires ?? FeatureEntry.never
  }

  /// Creates the entry of an existing feature.
  init(_ offset: Int, of block: FeatureBlock, origin: Int) {
    position = block.points.positions.pointer[offset]
    reference = block.references.pointer[offset]
    self.origin = UInt32(origin)
    expires = block.expires?.pointer[offset] ?? FeatureEntry.never
  }
}
