/// A relation of two features that depends on their distances along the axes and that also holds for all
/// smaller distances.
protocol ProximityRule {
  /// Whether the relation holds for features that are this many steps apart.
  func holds(_ x: Int, _ y: Int) -> Bool
}

extension ProximityRule {
  /// Whether the relation holds for no two features in two boxes.
  @inline(__always)
  func separates(_ a: PositionBox, _ b: PositionBox) -> Bool {
    !holds(a.leastX(to: b), a.leastY(to: b))
  }

  /// Whether the relation holds for any two features in two boxes.
  @inline(__always)
  func joins(_ a: PositionBox, _ b: PositionBox) -> Bool {
    holds(a.mostX(to: b), a.mostY(to: b))
  }
}
