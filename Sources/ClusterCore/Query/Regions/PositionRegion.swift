/// The features at one position.
struct PositionRegion: IndexRegion {
  let position: Position

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.node(node).box
    if box.minX > position.x || box.maxX < position.x || box.minY > position.y
      || box.maxY < position.y
    {
      return .outside
    }
    return box.minX == box.maxX && box.minY == box.maxY ? .inside : .partial
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    pointers.position(ordinal) == position
  }
}

/// The features at some steps east of 180° W.
struct ColumnRegion: IndexRegion {
  let x: UInt32

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.node(node).box
    if box.minX > x || box.maxX < x { return .outside }
    return box.minX == box.maxX ? .inside : .partial
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    pointers.position(ordinal).x == x
  }
}

/// The features on the world's northern and southern edges.
struct PolarRegion: IndexRegion {
  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.node(node).box
    if !box.isPolar { return .outside }
    return box.maxY == 0 || box.minY == .max ? .inside : .partial
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    let y = pointers.position(ordinal).y
    return y == 0 || y == .max
  }
}

/// The features of a box whose positions are on its edges, or within some steps of them, which determine its
/// exact bounds. Features beyond the box are in it, too.
struct EdgeRegion: IndexRegion {
  // Positions between these, exclusively, are within the box.
  private let west: Int
  private let north: Int
  private let east: Int
  private let south: Int

  init(box: PositionBox, slack: Int) {
    (west, north) = (Int(box.minX) + slack, Int(box.minY) + slack)
    (east, south) = (Int(box.maxX) - slack, Int(box.maxY) - slack)
  }

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.node(node).box
    let isWithin =
      Int(box.minX) > west && Int(box.maxX) < east && Int(box.minY) > north
      && Int(box.maxY) < south
    return isWithin ? .outside : .partial
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    let position = pointers.position(ordinal)
    let (x, y) = (Int(position.x), Int(position.y))
    return x <= west || x >= east || y <= north || y >= south
  }
}

extension PointIndex {
  /// Returns the ascending ordinals of all features at a feature's position. O(log n + result).
  func ordinalsOfEqualPosition(as ordinal: Int) -> [Int] {
    let position = position(at: ordinal)
    // Most features are alone at their position.
    if isAlone(ordinal, at: position) { return [ordinal] }
    var ordinals: [Int] = []
    forEachRun(in: PositionRegion(position: position)) {
      ordinals += $0
      return true
    }
    return ordinals
  }

  /// Returns whether the neighbours of a feature exist in its block and are at other positions.
  private func isAlone(_ ordinal: Int, at position: Position) -> Bool {
    withExtendedLifetime(self) {
      let block = pointers.block(of: ordinal)
      let others = block.ordinals
      return ordinal > others.lowerBound && ordinal + 1 < others.upperBound
        && block.positions[ordinal - 1] != position && block.positions[ordinal + 1] != position
    }
  }
}
