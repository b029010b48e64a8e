/// A relation of two features that is told by how far apart they are on each axis, and holds for all
/// that are closer.
protocol Nearness {
  /// Whether it holds for features that are this many steps apart.
  func holds(_ x: Int, _ y: Int) -> Bool
}

extension Nearness {
  /// Whether it holds for no two features of two nodes' boxes.
  @inline(__always)
  func separates(_ a: PositionBox, _ b: PositionBox) -> Bool {
    !holds(a.leastX(to: b), a.leastY(to: b))
  }

  /// Whether it holds for any two features of two nodes' boxes.
  @inline(__always)
  func joins(_ a: PositionBox, _ b: PositionBox) -> Bool {
    holds(a.mostX(to: b), a.mostY(to: b))
  }
}
