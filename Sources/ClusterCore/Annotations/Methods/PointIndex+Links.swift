extension PointIndex {
  /// Whether any other feature is linked to one.
  ///
  /// - Complexity: O(log n) except for unusual data.
  func hasFeature(
    linkedTo ordinal: Int, within radius: Double, excluding excluded: OrdinalSet = OrdinalSet([])
  ) -> Bool {
    withExtendedLifetime(self) {
      let pointers = self.pointers
      let distance = LinkDistance(radius: radius)
      let box = PositionBox(pointers.positions[ordinal])
      var found = false
      pointers.traverse { node in
        let other = pointers.nodes[node]
        if distance.separates(box, other.box) { return .skip }
        if distance.joins(box, other.box) {
          let points = other.range
          let others = points.count - excluded.count(in: points)
          found = others > (points.contains(ordinal) ? 1 : 0)
          if found { return .stop }
        }
        guard other.isLeaf else { return .open }
        for neighbour in other.range where neighbour != ordinal {
          found =
            distance.links(pointers.positions[ordinal], pointers.positions[neighbour])
            ?? distance.links(
              WebMercator.project(pointers.coordinates[ordinal]),
              WebMercator.project(pointers.coordinates[neighbour]))
          found = found && excluded.count(in: neighbour..<neighbour + 1) == 0
          if found { return .stop }
        }
        return .skip
      }
      return found
    }
  }
}
