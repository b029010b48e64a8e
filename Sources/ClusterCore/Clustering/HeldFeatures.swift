/// The features that a previous annotation stands for now.
enum HeldFeatures: Sendable {
  case cell(CellRegion)
  case location(LocationRegion)
  /// A feature, given by its ordinal in the collection.
  case feature(Int)
}
