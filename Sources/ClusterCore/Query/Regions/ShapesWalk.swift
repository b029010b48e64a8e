import Threading

/// Tells how much of smaller and smaller rectangles is in a ``ShapesRegion``, each from the result for one around
/// it. A rectangle is compared only with those edges that touch the one around it, and with those of which it
/// must be found out which points have them in the east.
///
/// The results for a rectangle are on a stack, on top of those for the rectangles around it.
final class ShapesWalk {
  /// A polygon, the lines and points, the envelopes or the discs of a shape.
  private struct Part: BitwiseCopyable {
    let element: Int32
    let kind: Kind
    /// Whether the ways to the east from all points cross an odd number of edges, apart from those in `beyond`
    /// and `touching`.
    var isOdd = false
    /// Where its edges, envelopes or discs that touch the rectangle are in `numbers`, and its edges beyond.
    var touching: (from: Int32, to: Int32)
    var beyond: (from: Int32, to: Int32)
  }

  private enum Kind: BitwiseCopyable { case polygon, lines, envelopes, discs }

  /// The result for a rectangle: the parts of shapes that still matter in it.
  struct Frame: BitwiseCopyable {
    fileprivate var firstPart: Int32
    fileprivate var endOfParts: Int32
    fileprivate var endOfNumbers: Int32
  }

  /// The relation of a rectangle to the shapes.
  enum Found {
    case outside, inside
    case partial(Frame)
  }

  private let region: ShapesRegion
  /// Whether the result for a rectangle isn't needed after one around it was asked for again.
  private let forgets: Bool
  private var edges = GrowingArray<ShapeEdge>(capacity: 256)
  private var envelopes = GrowingArray<GeoBounds>(capacity: 16)
  private var discs = GrowingArray<GlobeDisc>(capacity: 4)
  private var parts = GrowingArray<Part>(capacity: 64)
  private var numbers = GrowingArray<Int32>(capacity: 1024)
  /// The edges beyond a rectangle, until those that touch it are known.
  private var later = GrowingArray<Int32>(capacity: 64)

  /// - Parameter forgets: whether rectangles are asked for one within the other, so that the results for some
  ///   can be forgotten; see ``look(at:in:)``.
  init(_ region: ShapesRegion, forgets: Bool = true) {
    (self.region, self.forgets) = (region, forgets)
    for (number, element) in region.elements.enumerated() {
      add(element.shape, Int32(number))
    }
  }

  /// The result for the whole world.
  var world: Frame {
    Frame(
      firstPart: 0, endOfParts: Int32(parts.count), endOfNumbers: Int32(numbers.count))
  }

  private func add(_ shape: Shape, _ element: Int32) {
    func add<Value>(
      _ values: some Sequence<Value>, to all: inout GrowingArray<Value>, as kind: Kind
    ) {
      let start = Int32(numbers.count)
      for value in values {
        numbers.append(Int32(all.count))
        all.append(value)
      }
      let end = Int32(numbers.count)
      guard end > start else { return }
      parts.append(
        Part(element: element, kind: kind, touching: (start, end), beyond: (end, end)))
    }
    var rest = shape.edges.all.filter { $0.polygon >= 0 }[...]
    while let polygon = rest.first?.polygon {
      let own = rest.prefix { $0.polygon == polygon }
      add(own, to: &edges, as: .polygon)
      rest = rest.dropFirst(own.count)
    }
    add(shape.edges.all.filter { $0.polygon < 0 }, to: &edges, as: .lines)
    add(shape.envelopes, to: &envelopes, as: .envelopes)
    add(shape.discs, to: &discs, as: .discs)
  }

  // MARK: Rectangles

  /// Compares the box of some features with the shapes.
  ///
  /// - Parameter frame: the result for a rectangle around the box. Results for others within that may be
  ///   forgotten.
  func look(at box: PositionBox, in frame: Frame) -> Found {
    if forgets {
      parts.removeLast(parts.count - Int(frame.endOfParts))
      numbers.removeLast(numbers.count - Int(frame.endOfNumbers))
    }
    // Longitude 180 has the same positions as -180, and is far away on the plane.
    if box.minX == 0 {
      switch region.coverage(of: box) {
      case .outside: return .outside
      case .inside: return .inside
      case .partial: return .partial(frame)
      }
    }
    let rectangle = ShapesRegion.rectangle(of: box)
    let first = Int32(parts.count)
    var next = frame.firstPart
    while next < frame.endOfParts {
      let element = parts.pointer[Int(next)].element
      let (own, ownNumbers) = (parts.count, numbers.count)
      var isInside = false
      while next < frame.endOfParts, parts.pointer[Int(next)].element == element {
        if !isInside { isInside = narrow(parts.pointer[Int(next)], to: rectangle) }
        next += 1
      }
      let isPartial = !isInside && parts.count > own
      if !isPartial {
        if isInside == region.elements[Int(element)].isExcluded { return .outside }
        parts.removeLast(parts.count - own)
        numbers.removeLast(numbers.count - ownNumbers)
      }
    }
    if parts.count == Int(first) { return .inside }
    return .partial(
      Frame(
        firstPart: first, endOfParts: Int32(parts.count), endOfNumbers: Int32(numbers.count)))
  }

  /// Appends what matters of a part within a rectangle, if that is partly in it. Returns whether all is in it.
  private func narrow(_ part: Part, to rectangle: GeoBounds) -> Bool {
    var found = part
    let start = numbers.count
    Cancellation.poll(20 + Int(part.beyond.to - part.touching.from) * 5)
    if part.kind == .envelopes || part.kind == .discs {
      for place in part.touching.from..<part.touching.to {
        let number = numbers.pointer[Int(place)]
        let coverage =
          part.kind == .discs
          ? discs.pointer[Int(number)].coverage(of: rectangle)
          : envelopes.pointer[Int(number)].coverage(of: rectangle)
        switch coverage {
        case .inside: return true
        case .outside: break
        case .partial: numbers.append(number)
        }
      }
    } else {
      later.removeAll()
      for place in part.touching.from..<part.beyond.to {
        let number = numbers.pointer[Int(place)]
        switch edges.pointer[Int(number)].relation(to: rectangle) {
        case .passed: break
        // One beyond the rectangle around this one can't touch it.
        case .touching: if place < part.touching.to { numbers.append(number) }
        case .crossed: found.isOdd.toggle()
        case .beyond: later.append(number)
        }
      }
    }
    let middle = numbers.count
    if part.kind == .polygon {
      for place in 0..<later.count { numbers.append(later.pointer[place]) }
      // No boundary goes through the rectangle, so one of its points tells for all.
      if middle == start {
        for place in middle..<numbers.count {
          let edge = edges.pointer[Int(numbers.pointer[place])]
          if edge.isCrossed(at: rectangle.south) { found.isOdd.toggle() }
        }
        return found.isOdd
      }
    }
    guard middle > start else { return false }
    (found.touching, found.beyond) = (
      (Int32(start), Int32(middle)), (Int32(middle), Int32(numbers.count))
    )
    parts.append(found)
    return false
  }

  // MARK: Points

  /// Returns exactly whether the feature with an ordinal is in the region.
  ///
  /// - Parameter frame: the result for a rectangle around it.
  @inline(__always)
  func contains(_ ordinal: Int, at position: Position, in frame: Frame, _ pointers: IndexPointers)
    -> Bool
  {
    certainly(position, in: frame, pointers) ?? region.contains(pointers.coordinate(ordinal))
  }

  /// Whether all points of a position are in the region; nil if that isn't certain.
  private func certainly(_ position: Position, in frame: Frame, _ pointers: IndexPointers) -> Bool?
  {
    // Longitude 180 and latitudes beyond the projection are at the edges, too.
    if position.x == 0 || position.y == 0 || position.y == .max { return nil }
    let x = StepDegrees.longitude(position.x)
    let y = Double(pointers.degrees.latitude(position.y)) / FixedDegrees.perDegree
    var next = frame.firstPart
    while next < frame.endOfParts {
      let element = parts.pointer[Int(next)].element
      var isInside = false
      while next < frame.endOfParts, parts.pointer[Int(next)].element == element {
        if !isInside {
          guard let isIn = contains(x, y, parts.pointer[Int(next)]) else { return nil }
          isInside = isIn
        }
        next += 1
      }
      if isInside == region.elements[Int(element)].isExcluded { return false }
    }
    return true
  }

  @inline(__always)
  private func contains(_ x: Double, _ y: Double, _ part: Part) -> Bool? {
    let margin = ShapesRegion.margin
    if part.kind == .envelopes {
      let rectangle = GeoBounds(
        west: x - margin, south: y - margin, east: x + margin, north: y + margin)
      for place in part.touching.from..<part.touching.to {
        switch envelopes.pointer[Int(numbers.pointer[Int(place)])].coverage(of: rectangle) {
        case .inside: return true
        case .outside: break
        case .partial: return nil
        }
      }
      return false
    }
    if part.kind == .discs {
      let place = Coordinate(latitude: y, longitude: x)
      for number in part.touching.from..<part.touching.to {
        let disc = discs.pointer[Int(numbers.pointer[Int(number)])]
        guard let isIn = disc.contains(allNear: place, metres: ShapesRegion.marginInMetres) else {
          return nil
        }
        if isIn { return true }
      }
      return false
    }
    var isOdd = part.isOdd
    for place in part.beyond.from..<part.beyond.to {
      let edge = edges.pointer[Int(numbers.pointer[Int(place)])]
      if (edge.ay - y).magnitude <= margin || (edge.by - y).magnitude <= margin { return nil }
      if edge.isCrossed(at: y) { isOdd.toggle() }
    }
    for place in part.touching.from..<part.touching.to {
      let edge = edges.pointer[Int(numbers.pointer[Int(place)])]
      guard let meeting = edge.certainMeeting(x, y, margin: margin) else { return nil }
      if meeting == .crossed { isOdd.toggle() }
    }
    return part.kind == .polygon && isOdd
  }
}
