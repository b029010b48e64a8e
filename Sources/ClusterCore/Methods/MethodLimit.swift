/// The limit that a method without a grid exceeded.
enum MethodLimit: Error, Equatable {
  /// There are more annotations than the limit: at least this many.
  case annotations(Int)
  /// The features are so many and so close together that the method would take too long.
  case work
  case memory
}
