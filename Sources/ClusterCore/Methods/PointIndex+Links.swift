extension PointIndex {
  /// Whether any other feature is linked to the one at a place. O(log n) for any but odd data.
  func hasFeature(
    linkedTo place: Int, within radius: Double, excluding excluded: OrdinalSet = OrdinalSet([])
  ) -> Bool {
    withExtendedLifetime(self) {
      let view = self.pointers
      let distance = LinkDistance(radius: radius)
      let box = PositionBox(view.positions[place])
      var found = false
      view.traverse { node in
        let other = view.nodes[node]
        if distance.separates(box, other.box) { return .skip }
        if distance.joins(box, other.box) {
          let points = other.range
          let others = points.count - excluded.count(in: points)
          found = others > (points.contains(place) ? 1 : 0)
          if found { return .stop }
        }
        guard other.isLeaf else { return .open }
        for neighbour in other.range where neighbour != place {
          found =
            distance.links(view.positions[place], view.positions[neighbour])
            ?? distance.links(
              WebMercator.project(view.coordinates[place]),
              WebMercator.project(view.coordinates[neighbour]))
          found = found && excluded.count(in: neighbour..<neighbour + 1) == 0
          if found { return .stop }
        }
        return .skip
      }
      return found
    }
  }
}
