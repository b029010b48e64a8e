import ClusterCore

extension Fields {
  /// The distances from the place that `near` names, by which a list is in order. Pages would need an offset in it,
  /// which `near` doesn't go with.
  func near() throws(Problem) -> GlobeDistance? {
    guard let values = try numbers("near") else { return nil }
    guard values.count == 2 else {
      throw problem("near", "near is two numbers, a longitude and a latitude")
    }
    guard values[0].magnitude <= 180, values[1].magnitude <= 90 else {
      throw problem(
        "near", status: 422,
        "near is \(values[0]), \(values[1]), beyond ±180 and ±90 degrees; longitude comes first")
    }
    for name in ["offset", "sortby"] where has(name) {
      let detail =
        "near and \(name) can't be used together: near is an order by itself, without pages"
      var problem = problem("near", detail)
      problem.items += self.problem(name, detail).items
      throw problem
    }
    return GlobeDistance(from: Coordinate(latitude: values[1], longitude: values[0]))
  }
}
