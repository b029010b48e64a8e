import ClusterCore

/// Tells the zoom at which clusters come apart.
struct ExpansionFinder {
  private let collection: IndexedCollection
  private let options: Drilldown.Options

  init(_ viewport: ViewportRequest, of snapshot: CollectionSnapshot) throws {
    collection = snapshot.collection
    let cell = viewport.values.cell
    options = try BoundProperties(cell.neededProperties, in: collection).drilldown(cell.settings)
  }

  /// The zoom of viewports at which the cluster with an id comes apart; nil if none does.
  func zoom(of id: String) -> Int? {
    guard let id = AnnotationID(text: id) else { return nil }
    return Drilldown(id, in: collection, options, keys: { collection.keys(of: $0) })?.expansionZoom
  }
}
