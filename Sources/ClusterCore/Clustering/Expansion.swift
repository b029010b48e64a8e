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

  /// Returns the convex hull of an annotation's features.
  public func hull(of annotation: Annotation, in index: FeatureIndex) -> Hull {
    layer(of: annotation).hull(of: annotation, in: index)
  }
}

/// The zoom at which an annotation's features come apart, and the rectangle in which to show them.
extension ClusterLayer {
  /// The zooms that are considered for an expansion.
  public static let zooms = 0...24

  /// The most features at the edges of an annotation that are looked at for its exact bounds.
  private static let mostAtEdges = 4096

  /// Returns the bounds of an annotation's features: exact ones unless very many are at the edges, and whether
  /// they are.
  func finestBounds(
    of annotation: Annotation, in index: FeatureIndex
  ) -> (bounds: GeoBounds, areExact: Bool) {
    guard annotation.isCluster else { return (annotation.bounds, true) }
    guard let places else { return (exactBounds(of: annotation, in: index), true) }
    let bounds = places.exactBounds(of: annotation, atMost: ClusterLayer.mostAtEdges)
    return (bounds ?? annotation.bounds, bounds != nil)
  }

  /// Returns the smallest integer zoom with more cells than the layer's own grid at which the same request shows
  /// an annotation's features as several; nil if there is none up to 24, or if the layer has no grid.
  ///
  /// They are several where they are in several cells, or in one that isn't clustered and at several locations
  /// in it; with `decluster` the features of such a cell are pins in any case.
  ///
  /// - Parameters:
  ///   - found: the annotation's ``finestBounds(of:in:)``.
  ///   - isClustered: whether a cell that holds them meets the thresholds. It does if they do by themselves, as
  ///     those of a cluster in a view do.
  func expansionZoom(
    of annotation: Annotation, in index: FeatureIndex, _ found: (bounds: GeoBounds, areExact: Bool),
    where isClustered: (CellGrid, CellPosition) -> Bool = { _, _ in true }
  ) -> Int? {
    guard let grid, annotation.isCluster else { return nil }
    var exact = found.areExact ? CornerPoints(found.bounds) : nil
    let box = PositionBox(around: found.bounds)
    func areInSeveralCells(of finer: CellGrid) -> Bool {
      if exact == nil, let known = box.isInSeveralCells(of: finer, slack: 1) { return known }
      let corners = exact ?? CornerPoints(exactBounds(of: annotation, in: index))
      exact = corners
      return corners.areApart(in: finer)
    }
    let comeApart = settings.decluster || !annotation.isUniqueLocation
    return ClusterLayer.zooms.first { zoom in
      let zoomLevel = settings.zoomStep.roundedDown(Double(zoom))
      let finer = CellGrid(zoom: zoomLevel, cellSize: cellSize)
      guard finer.cellsPerWorld > grid.cellsPerWorld else { return false }
      if comeApart, settings.isClusteringOff(atZoom: zoomLevel) { return true }
      if areInSeveralCells(of: finer) { return true }
      guard comeApart else { return false }
      let cell = withExtendedLifetime(index) {
        finer.cell(of: annotation.first, in: index.points.pointers)
      }
      return !isClustered(finer, cell)
    }
  }

  /// The corners of bounds in map points.
  private struct CornerPoints {
    let (west, north, east, south): (Double, Double, Double, Double)

    init(_ bounds: GeoBounds) {
      (west, north) = (WebMercator.x(longitude: bounds.west), WebMercator.y(latitude: bounds.north))
      (east, south) = (WebMercator.x(longitude: bounds.east), WebMercator.y(latitude: bounds.south))
    }

    /// Whether they are in several cells.
    func areApart(in grid: CellGrid) -> Bool {
      grid.cell(of: west) != grid.cell(of: east) || grid.cell(of: north) != grid.cell(of: south)
    }
  }
}

extension PositionBox {
  /// Whether the features with this box are in several cells of a grid; nil if positions are not exact
  /// enough to tell.
  ///
  /// - Parameter slack: how many steps the box's edges may be off.
  func isInSeveralCells(of grid: CellGrid, slack: UInt32) -> Bool? {
    func cells(_ step: UInt32) -> (first: Int, last: Int) {
      let (west, east) = (step - min(slack, step), step + min(slack, .max - step))
      return (grid.cells(ofStep: west).first, grid.cells(ofStep: east).last)
    }
    let columns = PositionBox.areApart(cells(minX), cells(maxX))
    let rows = PositionBox.areApart(cells(minY), cells(maxY))
    if columns == true || rows == true { return true }
    return columns == nil || rows == nil ? nil : false
  }

  private static func areApart(
    _ low: (first: Int, last: Int), _ high: (first: Int, last: Int)
  ) -> Bool? {
    if low.last < high.first { return true }
    return low.first == high.last ? false : nil
  }
}
