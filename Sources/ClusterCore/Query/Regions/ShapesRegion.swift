/// The features that are in all of some shapes, and in none of some others.
struct ShapesRegion: BoxRegion {
  /// A shape, and whether its features are those outside of it.
  struct Element: Sendable {
    let shape: Shape
    let isExcluded: Bool
  }

  let elements: [Element]

  /// Whether it is everywhere.
  var isEmpty: Bool { elements.isEmpty }

  /// The number of corners of the shapes.
  var cornerCount: Int { elements.reduce(0) { $0 + $1.shape.cornerCount } }

  /// More than half of a step of positions in degrees, with the errors of degrees made from steps.
  static let margin = 1.5e-7
  /// The same in any direction on the globe, in metres.
  static let marginInMetres = 0.05

  func coverage(of box: PositionBox) -> Coverage {
    let rectangle = ShapesRegion.rectangle(of: box)
    let coverage = coverage(of: rectangle)
    // Longitude 180 has the same positions as -180.
    guard box.minX == 0, coverage != .partial else { return coverage }
    let far = GeoBounds(west: 180, south: rectangle.south, east: 180, north: rectangle.north)
    return self.coverage(of: far) == coverage ? coverage : .partial
  }

  private func coverage(of rectangle: GeoBounds) -> Coverage {
    var result = Coverage.inside
    for element in elements {
      switch (element.shape.coverage(of: rectangle), element.isExcluded) {
      case (.inside, false), (.outside, true): break
      case (.outside, false), (.inside, true): return .outside
      case (.partial, _): result = .partial
      }
    }
    return result
  }

  func contains(_ coordinate: Coordinate) -> Bool {
    elements.allSatisfy { $0.shape.contains(coordinate) != $0.isExcluded }
  }

  /// A rectangle that holds the coordinates of all positions in a box, except those of longitude 180.
  static func rectangle(of box: PositionBox) -> GeoBounds {
    // Features beyond the projection are on the world's edges, too.
    let north = box.minY == 0 ? 90 : latitude(box.minY) + margin
    let south = box.maxY == .max ? -90 : latitude(box.maxY) - margin
    return GeoBounds(
      west: StepDegrees.longitude(box.minX) - margin, south: south,
      east: StepDegrees.longitude(box.maxX) + margin, north: north)
  }

  private static func latitude(_ y: UInt32) -> Double {
    Double(StepDegrees.shared.latitude(y)) / FixedDegrees.perDegree
  }
}
