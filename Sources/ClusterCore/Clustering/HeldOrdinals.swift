/// The features that an annotation on screen stands for today.
enum HeldOrdinals: Sendable {
  case cell(CellRegion)
  case location(LocationRegion)
  /// By its place in the collection.
  case feature(Int)
}
