import TestSupport
import Testing

@testable import ClusterCore

/// What a viewport refuses, and what it makes of odd but possible rectangles.
@Suite(.timeLimit(.minutes(5))) struct ViewportTests {
  private let world = WebMercator.worldSize

  /// The field that is blamed, nil where nothing is.
  private func blamed(_ body: () throws -> Void) -> String? {
    if case .refused(let field) = Outcome(body) { field } else { nil }
  }

  @Test func `impossible values are refused by the name of their field`() throws {
    func bbox(_ w: Double, _ s: Double, _ e: Double, _ n: Double) -> String? {
      blamed { _ = try VisibleRect.bbox(west: w, south: s, east: e, north: n) }
    }
    for bad in [
      [0, 10, 1, 9], [0, -91, 1, 0], [0, 0, 1, 90.1], [1e7, 0, 1, 1], [0, 0, -1e300, 1],
      [.nan, 0, 1, 1], [0, .nan, 1, 1], [0, 0, .infinity, 1], [0, 0, 1, .nan],
    ] as [[Double]] {
      #expect(bbox(bad[0], bad[1], bad[2], bad[3]) == "bbox", "\(bad)")
    }
    #expect(bbox(0, 9, 1, 9) == nil && bbox(179, -90, -179, 90) == nil)
    func mapRect(_ x: Double, _ y: Double, _ w: Double, _ h: Double) -> String? {
      blamed { _ = try VisibleRect.mapRect(MapRect(x: x, y: y, width: w, height: h)) }
    }
    for bad in [
      [0, 0, -1, 1], [0, 0, 1, -1e-300], [1e308, 0, 1, 1], [0, -1.1e15, 1, 1], [.nan, 0, 1, 1],
      [0, 0, .infinity, 1], [0, 0, 1, .nan],
    ] as [[Double]] {
      #expect(mapRect(bad[0], bad[1], bad[2], bad[3]) == "visibleMapRect", "\(bad)")
    }
    #expect(mapRect(-1e15, 1e15, 0, 1e15) == nil)
    func region(_ lat: Double, _ lon: Double, _ dLat: Double, _ dLon: Double) -> String? {
      blamed {
        _ = try VisibleRect.region(
          center: Coordinate(latitude: lat, longitude: lon), latitudeDelta: dLat,
          longitudeDelta: dLon)
      }
    }
    for bad in [
      [91, 0, 1, 1], [0, 1e300, 1, 1], [0, 0, -1, 1], [0, 0, 1, -0.1], [.nan, 0, 1, 1],
      [0, 0, 1, .nan],
    ] as [[Double]] {
      #expect(region(bad[0], bad[1], bad[2], bad[3]) == "region", "\(bad)")
    }
    #expect(region(89, 0, 170, 360) == nil)
  }

  @Test func `scale, cell size and margin have their ranges`() throws {
    let rect = MapRect(x: 0, y: 0, width: 100, height: 100)
    func make(
      _ scale: Viewport.Scale, cell: Double = 60, margin: Double = 0.5, _ rect: MapRect? = nil
    ) -> String? {
      blamed {
        _ = try Viewport(
          rect: rect ?? MapRect(x: 0, y: 0, width: 1000, height: 1000), scale: scale,
          cellSize: cell, marginFactor: margin)
      }
    }
    for zoom in [-0.001, 24.001, .nan, 1e308] { #expect(make(.zoom(zoom)) == "zoom") }
    for zoom in [0, 24, 12.3456] { #expect(make(.zoom(zoom)) == nil) }
    for width in [0, -1, .nan, .infinity, 1e10] {
      #expect(make(.viewportWidth(width)) == "viewportWidth")
    }
    for size in [0.999, 2048.1, .nan, -60, 0] { #expect(make(.zoom(3), cell: size) == "cellSize") }
    for margin in [-0.1, 4.1, .nan] { #expect(make(.zoom(3), margin: margin) == "marginFactor") }
    #expect(
      make(.zoom(3), cell: 1, margin: 4) == nil && make(.zoom(3), cell: 2048, margin: 0) == nil)
    // No width: a width in points says nothing of the scale.
    let line = MapRect(x: 5, y: 5, width: 0, height: 10)
    #expect(make(.viewportWidth(100), line) == "viewportWidth" && make(.zoom(3), line) == nil)
    // −10 and 30 themselves are in, a thousandth past them out.
    func width(forZoom zoom: Double) -> Double { 256 * exponential2(zoom) * 100 / world }
    #expect(make(.viewportWidth(width(forZoom: 30)), cell: 2048, rect) == nil)
    #expect(make(.viewportWidth(width(forZoom: 30.001)), cell: 2048, rect) == "viewportWidth")
    #expect(make(.viewportWidth(width(forZoom: -10)), cell: 2048, rect) == nil)
    #expect(make(.viewportWidth(width(forZoom: -10.001)), cell: 2048, rect) == "viewportWidth")
    // More than a million cells; the remedy that the error names works.
    let whole = MapRect(x: 0, y: 0, width: world, height: world)
    #expect(make(.zoom(12), cell: 60, whole) == "cellSize")
    #expect(make(.zoom(4), cell: 4.1, whole) == nil && make(.zoom(4), cell: 4, whole) == "cellSize")
  }

  @Test func `settings have their ranges`() {
    func blamed(_ change: (inout ClusterSettings) -> Void) -> String? {
      var settings = ClusterSettings()
      change(&settings)
      return self.blamed { try settings.validate() }
    }
    #expect(blamed { _ in } == nil)
    #expect(blamed { $0.minPoints = -1 } == "minPoints")
    #expect(
      blamed { $0.minUniqueLocationsForClustering = -1 } == "minUniqueLocationsForClustering")
    for distance in [-0.1, 1000.1, .nan] {
      #expect(
        blamed { $0.distanceFromContestedLocation = distance } == "distanceFromContestedLocation")
    }
    let ids = (0..<101).map { FeatureID(known: $0) }
    #expect(blamed { $0.keepApart = ids } == "keepApart")
    #expect(blamed { $0.keepApart = Array(ids.prefix(100)) } == nil)
  }

  @Test(arguments: Seeds.each(111...112))
  func `absurd numbers are refused or answered, never a trap`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let index = try FeatureIndex.of(Dataset.mixed.features(seed: seed, count: 200))
    let absurd: [Double] = [
      0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, 1e-300, 1e-9,
      1, world.nextDown, world, world.nextUp, -world, 1e9, 1e15, -1e15, 1e15.nextUp, 1e17, 1e18,
      9.3e18, 1e308, -1e308, .infinity, -.infinity, .nan, 90, -90, 180, -180, 360, 1e6,
      85.051_128_78,
    ]
    var answered = 0
    for _ in 0..<4000 {
      func one() -> Double { generator.pick(absurd) }
      let rect: TwinRequest.Rect =
        switch generator.int(0...2) {
        case 0: .bbox(west: one(), south: one(), east: one(), north: one())
        case 1: .mapRect(x: one(), y: one(), width: one(), height: one())
        default:
          .region(
            center: Coordinate(latitude: one(), longitude: one()), latitudeDelta: one(),
            longitudeDelta: one())
        }
      var request = TwinRequest(rect, generator.chance(0.5) ? .zoom(one()) : .viewportWidth(one()))
      if generator.chance(0.8) { request.scale = .zoom(generator.pick([0, 3, 24])) }
      request.cellSize = generator.pick([1, 60, 2048])
      request.marginFactor = generator.pick([0, 0.5, 4])
      guard let viewport = try? request.viewport() else { continue }
      answered += 1
      let rectangle = viewport.cells.mapRect
      #expect((0..<world).contains(rectangle.x))
      #expect(rectangle.width > 0 && rectangle.width <= world)
      let found = try? index.clusters(
        in: viewport, settings: ClusterSettings(), limit: 10_000)
      #expect(found?.featureCount ?? 0 <= index.count)
      if let rect = try? request.rect.mapRect() {
        _ = try? FeatureScope(index).ordinals(in: MapRegion(rect.grown(by: 4)), limit: 10_000)
      }
    }
    #expect(answered > 100)
  }

  @Test func `a rect of no size stands for the cell that holds it`() throws {
    let point = MapRect(x: 1_000_000, y: 2_000_000, width: 0, height: 0)
    let viewport = try Viewport(rect: point, scale: .zoom(10), cellSize: 60, marginFactor: 4)
    let cell = viewport.cells.grid.cellMapSize
    #expect(viewport.cells.columnCount == 1 && viewport.cells.rows.count == 1)
    #expect(viewport.cells.firstColumn == Int(1_000_000 / cell))
    #expect(viewport.cells.rows.lowerBound == Int(2_000_000 / cell))
  }

  @Test func `a cell larger than the world is the world`() throws {
    let rect = MapRect(x: -world, y: -world, width: 3 * world, height: 3 * world)
    let viewport = try Viewport(
      rect: rect, scale: .viewportWidth(10), cellSize: 2048, marginFactor: 4)
    #expect(viewport.zoomLevel < 0)
    #expect(viewport.cells.grid.cellsPerWorld == 1 && viewport.cells.count == 1)
    #expect(viewport.cells.mapRect == MapRect(x: 0, y: 0, width: world, height: world))
  }

  @Test func `an edge on a grid line takes no cell beyond it`() throws {
    let grid = CellGrid(cellsPerWorld: 16)
    let cell = grid.cellMapSize
    let exact = GridRange(
      grid: grid, covering: MapRect(x: 2 * cell, y: 3 * cell, width: 2 * cell, height: cell))
    #expect(exact.firstColumn == 2 && exact.columnCount == 2 && exact.rows == 3..<4)
    let wider = GridRange(
      grid: grid,
      covering: MapRect(x: (2 * cell).nextDown, y: 3 * cell, width: 2 * cell + 1, height: cell + 1))
    #expect(wider.firstColumn == 1 && wider.columnCount == 4 && wider.rows == 3..<5)
    let around = GridRange(
      grid: grid, covering: MapRect(x: -cell, y: -cell, width: 2 * cell, height: 2 * cell))
    #expect(around.firstColumn == 15 && around.columnCount == 2 && around.rows == 0..<1)
    #expect(around.columnRanges == [0..<1, 15..<16])
  }
}
