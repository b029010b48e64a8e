import ClusterCore

/// Which properties a pin or member carries.
enum PropertySelection {
  case all, none
  /// By name, in UTF-8.
  case names([[UInt8]])
}

/// What an annotation carries beside its place.
struct AnnotationOptions {
  var titleProperty: [UInt8]?
  var subtitleLimit = 5
  var properties = PropertySelection.all
  var members = 0
}

/// The names of a viewport request's fields, and their reading.
enum ViewportFields {
  static let rects = ["bbox", "visibleMapRect", "region"]
  static let scales = ["viewportWidth", "zoom"]
  static let settings = [
    "clusterer", "maxZoomLevelForClustering", "minUniqueLocationsForClustering", "minPoints",
    "keepApart", "decluster", "distanceFromContestedLocation",
  ]
  static let output = ["titleProperty", "subtitleLimit", "properties", "members"]
  static let all =
    rects + scales + ["cellSize", "marginFactor", "debug", "limit", "groups", "previous"]
    + settings + output + PropertyFields.names + ClusterMethod.names
  /// What the query of a view may hold.
  static let query = all + ["f"]
  /// What can be watched: all but the annotations on screen, which those who watch are told of.
  static let watched = all.filter { $0 != "previous" }
  /// What the query of a drill-down may repeat.
  static let drilldown = settings + output + ["filter"] + PropertyFields.statistics
  /// What it takes to find the annotation of a method without a grid.
  static let view = rects + scales + ["marginFactor", "groupBy"] + ClusterMethod.names
  /// What finding a feature takes beside its own fields.
  static let locate = all.filter { !(rects + scales + ["previous", "limit"]).contains($0) }
}

extension Fields {
  /// The rectangle: exactly one of the three forms.
  func visibleRect() throws -> MapRect {
    guard ViewportFields.rects.count(where: has) <= 1 else {
      let given = ViewportFields.rects.filter(has)
      throw problem(given[1], "\(given.joined(separator: " and ")) are given; one rect will do")
    }
    if let values = try numbers("bbox") {
      let bbox = try bboxValues(values, sixAllowed: false)
      return try VisibleRect.bbox(
        west: bbox.west, south: bbox.south, east: bbox.east, north: bbox.north)
    }
    if let values = try namedNumbers("visibleMapRect", ["x", "y", "width", "height"]) {
      return try VisibleRect.mapRect(
        MapRect(x: values[0], y: values[1], width: values[2], height: values[3]))
    }
    let region = [
      "center/latitude", "center/longitude", "span/latitudeDelta", "span/longitudeDelta",
    ]
    if let values = try namedNumbers("region", region) {
      return try VisibleRect.region(
        center: Coordinate(latitude: values[0], longitude: values[1]), latitudeDelta: values[2],
        longitudeDelta: values[3])
    }
    throw problem("bbox", "no rect: one of bbox, visibleMapRect and region is required")
  }

  /// West, south, east and north of four numbers, or of six where heights, which are ignored, may be
  /// among them.
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

  /// The scale: exactly one of the two.
  func scale() throws(Problem) -> Viewport.Scale {
    let (width, zoom) = (try number("viewportWidth"), try number("zoom"))
    switch (width, zoom) {
    case (let width?, nil): return .viewportWidth(width)
    case (nil, let zoom?): return .zoom(zoom)
    case (nil, nil):
      throw problem("zoom", "no scale: one of viewportWidth and zoom is required")
    default: throw problem("zoom", "viewportWidth and zoom are given; one scale will do")
    }
  }

  /// The clustering settings, within their ranges.
  func clusterSettings() throws -> ClusterSettings {
    var settings = ClusterSettings()
    try readThresholds(into: &settings)
    settings.keepApart = try featureIDs("keepApart") ?? []
    settings.decluster = try bool("decluster") ?? settings.decluster
    settings.distanceFromContestedLocation =
      try number("distanceFromContestedLocation") ?? settings.distanceFromContestedLocation
    try settings.validate()
    return settings
  }

  /// The settings that a group can have of its own, as far as they are given.
  func readThresholds(into settings: inout ClusterSettings) throws(Problem) {
    settings.position = try choice("clusterer", ClusterPosition.self) ?? settings.position
    settings.maxZoomLevelForClustering =
      try number("maxZoomLevelForClustering") ?? settings.maxZoomLevelForClustering
    settings.minUniqueLocationsForClustering =
      try integer("minUniqueLocationsForClustering") ?? settings.minUniqueLocationsForClustering
    settings.minPoints = try integer("minPoints") ?? settings.minPoints
  }

  /// What the annotations carry.
  func outputOptions() throws(Problem) -> AnnotationOptions {
    var options = AnnotationOptions()
    options.titleProperty = try string("titleProperty").map { Array($0.utf8) }
    options.subtitleLimit = try integer("subtitleLimit", in: 0...100) ?? options.subtitleLimit
    options.members = try integer("members", in: 0...100) ?? options.members
    options.properties = try propertySelection()
    return options
  }

  private func propertySelection() throws(Problem) -> PropertySelection {
    guard let (list, isString) = try strings("properties") else { return .all }
    if isString, list == ["*"] { return .all }
    if isString, list == ["none"] { return .none }
    guard !inBody || !isString else {
      throw problem("properties", "properties is a list of names, \"*\" or \"none\"")
    }
    return .names(list.map { Array($0.utf8) })
  }

  /// An integer within a range; 422 outside of it.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let value = try integer(name) else { return nil }
    guard range.contains(value) else {
      throw problem(
        name, status: 422,
        "\(name) is \(value), outside of \(range.lowerBound)…\(range.upperBound)")
    }
    return value
  }
}
