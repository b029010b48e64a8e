import ClusterCore
import GeoFormats

/// Values that only viewport requests have.
extension Fields {
  // MARK: The rectangle

  /// West, south, east and north of four numbers, or of six if heights, which are ignored, are allowed.
  func bboxValues(_ values: [Double], sixAllowed: Bool) throws(Problem) -> GeoBounds {
    switch values.count {
    case 4: GeoBounds(west: values[0], south: values[1], east: values[2], north: values[3])
    case 6 where sixAllowed:
      GeoBounds(west: values[0], south: values[1], east: values[3], north: values[4])
    default:
      let heights = sixAllowed ? ", or six with heights" : ""
      throw problem("bbox", "bbox is west,south,east,north: four numbers\(heights)")
    }
  }

  /// The rectangle of west, south, east and north in degrees.
  func bboxRect(_ name: String) throws -> MapRect? {
    guard let values = try numbers(name) else { return nil }
    let bbox = try bboxValues(values, sixAllowed: false)
    return try VisibleRect.bbox(
      west: bbox.west, south: bbox.south, east: bbox.east, north: bbox.north)
  }

  /// A rectangle in map points.
  func mapRect(_ name: String) throws -> MapRect? {
    try namedNumbers(name, ["x", "y", "width", "height"]).map {
      try VisibleRect.mapRect(MapRect(x: $0[0], y: $0[1], width: $0[2], height: $0[3]))
    }
  }

  /// The rectangle of a centre and a span in degrees.
  func regionRect(_ name: String) throws -> MapRect? {
    let members = [
      "center/latitude", "center/longitude", "span/latitudeDelta", "span/longitudeDelta",
    ]
    return try namedNumbers(name, members).map {
      try VisibleRect.region(
        center: Coordinate(latitude: $0[0], longitude: $0[1]), latitudeDelta: $0[2],
        longitudeDelta: $0[3])
    }
  }

  // MARK: Members of annotations

  /// The properties that annotations carry: a list of names, `*` or `none`.
  func propertySelection(_ name: String) throws(Problem) -> AnnotationOptions.PropertySelection? {
    guard let (list, isString) = try strings(name) else { return nil }
    if isString, list == ["*"] { return .all }
    if isString, list == ["none"] { return AnnotationOptions.PropertySelection.none }
    guard !inBody || !isString else {
      throw problem(name, "\(name) is a list of names, \"*\" or \"none\"")
    }
    try checkCount(list.count, "names", of: name, atMost: AnnotationOptions.maximumProperties)
    for property in list { try check(property: property.utf8, at: name) }
    return .names(PropertyNames(list.map { Array($0.utf8) }))
  }

  // MARK: Methods without a grid

  /// The reach of the method `distance`, in points.
  func epsilon(_ name: String) throws(Problem) -> Double? {
    guard let epsilon = try number(name) else { return nil }
    guard MethodRequest.epsilons.contains(epsilon) else {
      throw problem(name, status: 422, "\(name) is \(epsilon), outside of 1…512")
    }
    return epsilon
  }

  /// The width and height of the markers of the method `collision`, in points.
  func markerSize(_ name: String) throws(Problem) -> (width: Double, height: Double)? {
    guard let size = try numbers(name) else { return nil }
    guard size.count == 2 else { throw problem(name, "\(name) is [width, height]: two numbers") }
    for (index, side) in size.enumerated() where !MethodRequest.markerSides.contains(side) {
      throw problem(
        inBody ? "\(name)/\(index)" : name, status: 422,
        "a side of \(name) is \(side), outside of 1…2048")
    }
    return (size[0], size[1])
  }
}
