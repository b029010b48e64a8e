/// A part of a bound filter: which of up to 64 features it is true of.
protocol FilterTerm: Sendable {
  /// Of the candidates, features `place + i` for the bits i that are set, those it is true of.
  /// There is at least one, and all are places of one block of the index.
  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64
}
