/// A part of a cached scope.
struct ScopePart {
  /// The key of its features for the property by which the scope is grouped, or nil for none.
  var key: [UInt8]?
  var scope: FeatureScope
}
