/// A scope that is remembered.
struct ScopePart {
  /// The key that its features have of the property that takes it apart; nil without one.
  var key: [UInt8]?
  var scope: FeatureScope
}
