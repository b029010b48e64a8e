import ClusterCore
import Collections

extension ViewportField {
  /// Every field of a viewport request: its name, its part, the requests that take it, how it is read and
  /// where its value is stored. Of several fields that a method doesn't allow, the first here is reported.
  static let all: [ViewportField] = [
    // The rectangle: exactly one of these.
    ViewportField("bbox", .rect, area, { try $0.bboxRect($1) }, { $0.rect = $1 }),
    ViewportField("visibleMapRect", .rect, area, { try $0.mapRect($1) }, { $0.rect = $1 }),
    ViewportField("region", .rect, area, { try $0.regionRect($1) }, { $0.rect = $1 }),
    // The scale: exactly one of these.
    ViewportField("viewportWidth", .scale, area, { try $0.number($1) }, { $0.viewportWidth = $1 }),
    ViewportField("zoom", .scale, area, { try $0.number($1) }, { $0.zoom = $1 }),

    // How features are clustered.
    ViewportField(
      "zoomStep", .settings, [annotations, .tile], { try $0.number($1) },
      { $0.cell.settings.zoomStep = ZoomStep($1) }),
    ViewportField(
      "clusterer", .settings, groupSettings, isGridOnly: true,
      { try $0.choice($1, ClusterPosition.self) }, { $0.cell.settings.position = $1 }),
    ViewportField(
      "cellSize", .cellSize, [.viewports, .group, .tile], isGridOnly: true, { try $0.number($1) },
      { $0.cellSize = $1 }),
    ViewportField(
      "maxZoomLevelForClustering", .settings, groupSettings, isGridOnly: true,
      { try $0.number($1) }, { $0.cell.settings.maxZoomLevelForClustering = $1 }),
    ViewportField(
      "minUniqueLocationsForClustering", .settings, groupSettings, isGridOnly: true,
      { try $0.integer($1) }, { $0.cell.settings.minUniqueLocationsForClustering = $1 }),
    ViewportField(
      "minPoints", .settings, groupSettings, isGridOnly: true, { try $0.integer($1) },
      { $0.cell.settings.minPoints = $1 }),
    ViewportField(
      "groups", .groups, .viewports, isGridOnly: true,
      reading: { $2.cell.groups = try $0.groups($1, inheriting: $2.cell.settings) }),
    ViewportField(
      "keepApart", .settings, annotations, { try $0.featureIDs($1) },
      { $0.cell.settings.keepApart = $1 }),
    ViewportField(
      "decluster", .settings, [annotations, .tile], isGridOnly: true, { try $0.bool($1) },
      { $0.cell.settings.decluster = $1 }),
    ViewportField(
      "distanceFromContestedLocation", .settings, [annotations, .tile], { try $0.number($1) },
      { $0.cell.settings.distanceFromContestedLocation = $1 }),
    ViewportField(
      "pinLayout", .settings, [annotations, .tile],
      { try $0.choice($1, PinSpread.Figure.self) }, { $0.cell.settings.pinLayout = $1 }),
    ViewportField(
      "spreadUnit", .settings, [annotations, .tile],
      { try $0.choice($1, PinSpread.Unit.self) }, { $0.cell.settings.spreadUnit = $1 }),
    ViewportField(
      "debug", .debug, .viewports, isGridOnly: true, { try $0.bool($1) }, { $0.debug = $1 }),

    // The part of the viewport that is answered.
    ViewportField(
      "marginFactor", .margin, [.viewports, .methodAnnotation], { try $0.number($1) },
      { $0.margin = $1 }),
    ViewportField(
      "wrap", .wrap, [.viewports, .methodAnnotation], { try $0.bool($1) }, { $0.wrap = $1 }),
    ViewportField(
      "limit", .limit, [.clusters, .pins, .changes],
      { try $0.integer($1, in: 1...ClusterRequest.maximumLimit) }, { $0.limit = $1 }),
    ViewportField(
      "previous", .previous, [.clusters, .pins], { try $0.previous($1) }, { $0.previous = $1 }),

    // Members of annotations.
    ViewportField(
      "titleProperty", .output, annotations, { try $0.property($1) },
      { $0.cell.output.titleProperty = $1 }),
    ViewportField(
      "subtitleLimit", .output, annotations, { try $0.integer($1, in: 0...100) },
      { $0.cell.output.subtitleLimit = $1 }),
    ViewportField(
      "members", .output, annotations, { try $0.integer($1, in: 0...100) },
      { $0.cell.output.members = $1 }),
    ViewportField(
      "properties", .output, [annotations, .tile], { try $0.propertySelection($1) },
      { $0.cell.output.properties = $1 }),
    ViewportField(
      "hull", .output, annotations, { try $0.bool($1) }, { $0.cell.output.hull = $1 }),
    ViewportField(
      "expansion", .output, [annotations, .tile], { try $0.bool($1) },
      { $0.cell.output.expansion = $1 }),
    ViewportField(
      "fields", .output, annotations, { try $0.annotationFields($1) },
      { $0.cell.output.fields = $1 }),

    // Conditions and statistics over the features' properties.
    ViewportField(
      "filter", .properties, [annotations, .tile], { try $0.filter($1) },
      { $0.cell.properties.filter = $1 }),
    ViewportField(
      "filter-lang", .properties, [annotations, .tile],
      reading: { fields, _, _ in _ = try fields.filterLanguage() }),
    ViewportField(
      "filter-crs", .properties, [annotations, .tile],
      reading: { fields, _, _ in try fields.checkReferenceSystem("filter-crs") }),
    ViewportField(
      "ids", .properties, [annotations, .tile], { try $0.onlyIDs($1) },
      { $0.cell.properties.filter = $0.cell.properties.filter.narrowed(to: $1) }),
    ViewportField(
      "datetime", .properties, [annotations, .tile], { try $0.datetime($1) },
      { $0.cell.properties.datetime = $1 }),
    ViewportField(
      "groupBy", .properties, [.viewports, .methodAnnotation, .tile], { try $0.property($1) },
      { $0.cell.properties.groupBy = $1 }),
    ViewportField(
      "countBy", .properties, [annotations, .tile], { try $0.property($1) },
      { $0.cell.properties.countBy = $1 }),
    ViewportField(
      "weightBy", .properties, [annotations, .tile], { try $0.property($1) },
      { $0.cell.properties.weightBy = $1 }),
    ViewportField(
      "aggregate", .properties, [annotations, .tile], { try $0.aggregates($1) },
      { $0.cell.properties.aggregates = $1 }),

    ViewportField(
      "histogram", .histogram, [.clusters, .pins], { try $0.histogram($1) }, { $0.histogram = $1 }),

    // The method, and what belongs to those without a grid.
    ViewportField(
      "method", .method, methods, { try $0.choice($1, ViewportValues.Method.self) },
      { $0.method = $1 }),
    ViewportField("epsilon", .tiles, methods, { try $0.epsilon($1) }, { $0.epsilon = $1 }),
    ViewportField(
      "markerSize", .tiles, methods, { try $0.markerSize($1) },
      { ($0.markers.width, $0.markers.height) = $1 }),
    ViewportField(
      "priorityBy", .tiles, methods, { try $0.property($1) }, { $0.markers.priorityBy = $1 }),
    ViewportField(
      "clusterBy", .tiles, methods, { try $0.property($1) }, { $0.markers.clusterBy = $1 }),
  ]

  /// The requests that take the place and size of the viewport. `locate` has fields of its own for
  /// that.
  private static let area: Requests = [.clusters, .pins, .changes, .methodAnnotation]
  /// The requests that take the method of clustering.
  private static let methods: Requests = [.viewports, .methodAnnotation]
  /// All requests for annotations, one or many.
  private static let annotations: Requests = [.viewports, .annotation]
  /// Clustering settings that a group may have of its own, and that tiles have.
  private static let groupSettings: Requests = [annotations, .group, .tile]
}
