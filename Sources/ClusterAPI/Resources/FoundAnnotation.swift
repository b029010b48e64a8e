import ClusterCore
import GeoFormats

/// The annotation that an id names today: that of a cell, location or feature on a grid, or the one in a
/// viewport that holds the feature that it names.
struct FoundAnnotation {
  private enum Source {
    case grid(Drilldown)
    case tiles(MethodDrilldown)
  }

  private let source: Source
  let annotation: Annotation
  let result: ClusterResult
  let statistics: Statistics?

  /// Nil if there is none today.
  init?(
    _ id: AnnotationID, _ viewport: ViewportRequest?, _ settings: ClusterSettings,
    _ properties: BoundProperties, in collection: IndexedCollection
  ) throws {
    statistics = properties.annotationStatistics
    if let viewport, case .tiles(let request) = BoundViewport(viewport, properties) {
      guard
        let found = try MethodDrilldown(
          id, in: collection, passing: properties.filter, request,
          markers: collection.markers(request))
      else { return nil }
      (source, annotation, result) = (.tiles(found), found.annotation, found.result)
      return
    }
    guard
      let found = Drilldown(
        id, in: collection, properties.drilldown(settings), keys: { collection.keys(of: $0) })
    else { return nil }
    (source, annotation, result) = (.grid(found), found.annotation, found.result)
  }

  /// The zoom at which its features are no longer one annotation, and the rectangle in which to show them.
  func expansion() throws -> Expansion {
    switch source {
    case .grid(let drilldown): drilldown.expansion
    case .tiles(let drilldown): try drilldown.expansion()
    }
  }

  /// Whether the place of its pin depends on a zoom, which its id doesn't name.
  var isPlacedByZoom: Bool {
    if case .grid(let drilldown) = source { drilldown.isPlacedByZoom } else { false }
  }

  /// Its features as pins, at the last zoom.
  func pins(
    _ settings: ClusterSettings, into answer: inout ClusterAnswer
  ) throws(ImpossibleRequest) {
    let limit = ClusterRequest.maximumLimit
    guard annotation.count <= limit else {
      throw ImpossibleRequest(
        field: "childZoom",
        detail:
          "no zoom up to \(ClusterLayer.zooms.upperBound) tells these features apart, and there are more "
          + "than \(limit); its items are in pages")
    }
    answer.zoomLevel = Double(ClusterLayer.zooms.upperBound)
    switch source {
    case .grid(let drilldown):
      answer.show(try drilldown.pins(limit: limit))
    case .tiles(let drilldown): answer.result = try drilldown.pins(settings, limit: limit)
    }
  }

  /// Its features at another zoom, as if only they existed.
  func children(zoom: Double, into answer: inout ClusterAnswer) throws(ImpossibleRequest) {
    let limit = ClusterRequest.maximumLimit
    answer.zoomLevel = zoom
    do {
      switch source {
      case .grid(let drilldown):
        answer.show(try drilldown.children(zoom: zoom, limit: limit))
      case .tiles(let drilldown):
        answer.result = try drilldown.children(
          zoom: zoom, limit: limit, findsExpansion: answer.output.needsExpansion)
      }
    } catch {
      guard error.field == "limit" else { throw error }
      throw ImpossibleRequest(
        field: "childZoom",
        detail:
          "at zoom \(zoom) there are more than \(limit) children; a lower childZoom gives fewer")
    }
  }
}

extension ClusterAnswer {
  /// Makes it that of the children of an annotation on a grid.
  fileprivate mutating func show(_ children: Drilldown.Children) {
    (zoomLevel, grid, result) = (children.zoomLevel, children.cells.grid, children.result)
  }
}
