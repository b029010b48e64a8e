import ClusterCore

/// Everything in a request that decides how the annotations of a grid's cell are encoded, apart from the
/// grid itself.
///
/// The clusterer and the encoder of cells are given these options and nothing else of the request. The
/// cell cache uses them as a whole as its key, so an option that is stored here can't be missing from it.
struct CellOptions: Hashable, Sendable {
  /// How features are clustered.
  var settings = ClusterSettings()
  /// The settings of single groups; nil if none are given.
  var groups: [GroupOptions]?
  /// The statistics and conditions over the features' properties.
  var properties = PropertyOptions()
  /// The members that annotations carry.
  var output = AnnotationOptions()

  /// ``properties`` without the statistics that annotations don't carry. `weightBy` stays, since it
  /// also decides where clusters are.
  var neededProperties: PropertyOptions {
    var needed = properties
    if output.fields.isDisjoint(with: [.counts, .otherCount]) { needed.countBy = nil }
    if !output.fields.contains(.aggregates) { needed.aggregates = nil }
    return needed
  }

  /// The needs of annotations with these options, whatever the zoom.
  var needs: Needs {
    var needs = settings.needs.union(properties.needs(for: output.fields)).union(output.needs)
    if groups != nil { needs.insert(.ownSettings) }
    return needs
  }

  /// The options with everything that has no effect at a zoom brought to one value, as a cache key.
  consuming func canonical(atZoom zoomLevel: Double) -> CellOptions {
    // Without expansions other zooms don't matter, neither their grids nor where clustering ends.
    if !output.needsExpansion {
      settings.zoomStep = .finest
      settings.maxZoomLevelForClustering =
        settings.isClusteringOff(atZoom: zoomLevel) ? -.infinity : nil
    }
    if !settings.decluster {
      settings.distanceFromContestedLocation = 0
      (settings.pinLayout, settings.spreadUnit) = (.circle, .meters)
    }
    return self
  }

  /// The approximate size of the parts of variable length, in bytes.
  var byteCount: Int { properties.byteCount + output.byteCount }
}
