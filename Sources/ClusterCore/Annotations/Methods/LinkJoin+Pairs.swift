extension LinkJoin {
  /// Unites the linked features of two nodes. Each level of the recursion opens a node.
  mutating func join(_ a: Int, _ b: Int) {
    budget.spend(WorkBudget.node)
    if budget.isSpent || states[a] == .empty || states[b] == .empty { return }
    let (first, second) = (pointers.node(a), pointers.node(b))
    if distance.separates(first.box, second.box) { return }
    switch (states[a] == .whole, states[b] == .whole) {
    case (true, true): joinWhole(a, b)
    case (true, false): joinWhole(a, withPartsOf: b)
    case (false, true): joinWhole(b, withPartsOf: a)
    case (false, false):
      if first.isLeaf && second.isLeaf {
        joinLeaves(a, b)
      } else if second.isLeaf || (!first.isLeaf && first.box.side >= second.box.side) {
        for child in first.children { join(child, b) }
      } else {
        for child in second.children { join(a, child) }
      }
    }
  }

  /// Unites two whole nodes if there is a link between them.
  private mutating func joinWhole(_ a: Int, _ b: Int) {
    let (first, second) = (representative(of: a), representative(of: b))
    if sets.root(of: first) == sets.root(of: second) { return }
    if isLinked(node: a, toNode: b) { sets.unite(first, second) }
  }

  /// Joins a whole node with the children or points of a loose one.
  private mutating func joinWhole(_ whole: Int, withPartsOf loose: Int) {
    let node = pointers.node(loose)
    guard node.isLeaf else {
      for child in node.children { join(whole, child) }
      return
    }
    let first = representative(of: whole)
    for ordinal in node.range {
      if budget.isSpent { return }
      if sets.root(of: ordinal) == sets.root(of: first) || isKeptApart(ordinal) { continue }
      if isLinked(ordinal, toPointsOf: whole) { sets.unite(first, ordinal) }
    }
  }

  private mutating func joinLeaves(_ a: Int, _ b: Int) {
    let (points, others) = (pointers.points(of: a), pointers.points(of: b))
    let box = pointers.node(b).box
    budget.spend(points.count &* 4)
    for ordinal in points {
      if distance.separates(PositionBox(pointers.position(ordinal)), box) { continue }
      if isKeptApart(ordinal) { continue }
      budget.spend(others.count &* 3)
      if budget.isSpent { return }
      for other in others where isLinked(ordinal, other) {
        if !isKeptApart(other) { sets.unite(ordinal, other) }
      }
    }
  }

  /// Whether any point of a node is linked to any of another; neither is empty.
  private mutating func isLinked(node a: Int, toNode b: Int) -> Bool {
    budget.spend(WorkBudget.node)
    if budget.isSpent { return false }
    let (first, second) = (pointers.node(a), pointers.node(b))
    if distance.separates(first.box, second.box) { return false }
    if distance.joins(first.box, second.box) && hasPoints(a) && hasPoints(b) { return true }
    if first.isLeaf && second.isLeaf {
      for ordinal in first.range where !isKeptApart(ordinal) {
        if isLinked(ordinal, toLeaf: second) { return true }
        if budget.isSpent { break }
      }
      return false
    }
    if second.isLeaf || (!first.isLeaf && first.box.side >= second.box.side) {
      for child in first.children where isLinked(node: child, toNode: b) { return true }
    } else {
      for child in second.children where isLinked(node: a, toNode: child) { return true }
    }
    return false
  }

  /// Whether a feature is linked to any other one of a node.
  mutating func isLinked(_ ordinal: Int, toPointsOf node: Int) -> Bool {
    budget.spend(WorkBudget.node)
    let box = PositionBox(pointers.position(ordinal))
    let other = pointers.node(node)
    if budget.isSpent || distance.separates(box, other.box) { return false }
    if distance.joins(box, other.box) && hasPoints(node, besides: ordinal) { return true }
    if other.isLeaf { return isLinked(ordinal, toLeaf: other) }
    for child in other.children where isLinked(ordinal, toPointsOf: child) { return true }
    return false
  }

  private mutating func isLinked(_ ordinal: Int, toLeaf leaf: Quadtree.Node) -> Bool {
    budget.spend(4)
    if distance.separates(PositionBox(pointers.position(ordinal)), leaf.box) { return false }
    for other in leaf.range where other != ordinal {
      budget.spend(3)
      if isLinked(ordinal, other) && !isKeptApart(other) { return true }
      if budget.isSpent { break }
    }
    return false
  }

  private func hasPoints(_ node: Int, besides ordinal: Int = -1) -> Bool {
    let points = pointers.points(of: node)
    return points.count - keptApart.count(in: points) > (points.contains(ordinal) ? 1 : 0)
  }
}
