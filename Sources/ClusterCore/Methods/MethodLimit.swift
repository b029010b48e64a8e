/// Why one of the methods without a grid gave up.
enum MethodLimit: Error, Equatable {
  /// There are more annotations than its limit: as many, or at least as many.
  case annotations(Int)
  /// It would take longer than is allowed: the features are too many and too awkwardly placed.
  case work
}
