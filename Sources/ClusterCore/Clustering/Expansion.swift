/// The zoom and rectangle in which a map shows an annotation's features apart.
public struct Expansion: Sendable {
  /// The smallest integer zoom at which the same request shows them as several; nil if there is none up to 24.
  public let zoom: Int?
  /// The rectangle in which to show them: extended by a tenth on each side and at least 512 map points wide
  /// and high.
  public let visibleMapRect: MapRect
}

extension ClusterResult {
  /// Returns the expansion of an annotation. Without a grid, its zoom must have been found before.
  public func expansion(of annotation: Annotation, in index: FeatureIndex) -> Expansion {
    let layer = layer(of: annotation)
    let found = layer.finestBounds(of: annotation, in: index)
    return Expansion(
      zoom: expansionZooms == nil
        ? layer.expansionZoom(of: annotation, in: index, found) : expansionZooms?[annotation.first],
      visibleMapRect: found.bounds.visibleMapRect)
  }

  /// Returns only the zoom of ``expansion(of:in:)``.
  public func expansionZoom(of annotation: Annotation, in index: FeatureIndex) -> Int? {
    expansion(of: annotation, in: index).zoom
  }

  /// Returns the convex hull of an annotation's features.
  public func hull(of annotation: Annotation, in index: FeatureIndex) -> Hull {
    layer(of: annotation).hull(of: annotation, in: index)
  }
}
