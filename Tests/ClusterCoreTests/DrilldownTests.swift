import TestSupport
import Testing

@testable import ClusterCore

/// From an annotation's id back to the annotation, its features and its children.
@Suite(.timeLimit(.minutes(5))) struct DrilldownTests {
  @Test(arguments: Dataset.allCases, Seeds.each(71...72))
  func `every id finds its annotation again`(data: Dataset, seed: UInt64) throws {
    let features = data.features(seed: seed, count: 400)
    let (index, twin) = (try FeatureIndex.of(features), Twin(features))
    var generator = SeededGenerator(seed: seed)
    var looked = 0
    for round in 0..<25 {
      var request = TwinRequest.random(over: twin, using: &generator)
      request.limit = 10_000
      guard let wanted = try? twin.cluster(request) else { continue }
      let (viewport, settings) = (try request.viewport(), request.settings)
      let result = try index.clusters(in: viewport, settings: settings, limit: request.limit)
      for (annotation, twinOne) in zip(result.annotations, wanted.annotations).prefix(25) {
        looked += 1
        let id = result.layer(of: annotation).id(of: annotation, in: index)
        let comment: Comment = "round \(round), \(id.text): \(request.json.text)"
        #expect(AnnotationID(text: id.text) == id, comment)
        let drilldown = try #require(Drilldown(id, in: index, settings: settings), comment)
        let today = drilldown.annotation
        #expect(today.key == annotation.key || today.key == .feature, comment)
        #expect(today.count == annotation.count && today.first == annotation.first, comment)
        #expect(today.bounds == annotation.bounds, comment)
        let (here, there) = (result.expansion(of: annotation, in: index), drilldown.expansion)
        #expect(here.zoom == there.zoom, comment)
        if annotation.isCluster { #expect(here.visibleMapRect == there.visibleMapRect, comment) }
        #expect(today.isUniqueLocation == annotation.isUniqueLocation, comment)
        if annotation.spread != nil || annotation.key != .feature {
          #expect(today.coordinate.isIdentical(to: annotation.coordinate), comment)
          #expect(today.spread?.contested == annotation.spread?.contested, comment)
        }
        try check(drilldown, twinOne, request, twin, of: index, comment)
      }
    }
    #expect(looked > 50)
  }

  /// Features, pages, expansion and children of one annotation.
  private func check(
    _ drilldown: Drilldown, _ wanted: TwinAnnotation, _ request: TwinRequest, _ twin: Twin,
    of index: FeatureIndex, _ comment: Comment
  ) throws {
    let ids = wanted.features.map(\.id)
    let all = drilldown.ordinals(offset: 0, limit: .max)
    #expect(all.map { index.record(at: $0).id } == ids, comment)
    let page = drilldown.ordinals(offset: 2, limit: 3)
    #expect(page == Array(all.dropFirst(2).prefix(3)), comment)
    #expect(drilldown.ordinals(offset: ids.count, limit: 5) == [], comment)
    #expect(drilldown.ordinals(offset: .max, limit: 5) == [], comment)

    let expansion = twin.expansionZoom(of: wanted, request)
    #expect(drilldown.expansion.zoom == expansion, comment)
    checkRect(drilldown, wanted, comment)

    guard case .cell = wanted.kind else { return }
    for zoom in [expansion.map(Double.init), 0, 24, 7.25].compactMap(\.self) {
      let (_, cells, result) = try drilldown.children(zoom: zoom, limit: 10_000)
      let children = Twin.children(of: wanted.features, zoomLevel: zoom, request.asChild)
      #expect(result.featureCount == wanted.count, comment)
      #expect(result.annotations.map(\.count) == children.map(\.count), comment)
      #expect(result.annotations.reduce(0) { $0 + $1.count } == wanted.count, comment)
      for (got, want) in zip(result.annotations, children) {
        let center = cells.grid.center(
          of: CellPosition(column: want.cell.column, row: want.cell.row))
        #expect(want.differences(from: got, of: index, center: center) == [], comment)
      }
    }
  }

  /// A tenth wider on each side, at least 512 map points each way.
  private func checkRect(
    _ drilldown: Drilldown, _ wanted: TwinAnnotation, _ comment: Comment
  ) {
    let rect = drilldown.expansion.visibleMapRect
    #expect(rect.width >= 512 && rect.height >= 512, comment)
    let points = wanted.features.map { Twin.project($0.coordinate) }
    let (xs, ys) = (points.map(\.x), points.map(\.y))
    let width = (xs.max() ?? 0) - (xs.min() ?? 0)
    let height = (ys.max() ?? 0) - (ys.min() ?? 0)
    #expect((rect.width - max(512, width * 1.2)).magnitude < 1e-3, comment)
    #expect((rect.height - max(512, height * 1.2)).magnitude < 1e-3, comment)
    let (x, y) = (((xs.max() ?? 0) + (xs.min() ?? 0)) / 2, ((ys.max() ?? 0) + (ys.min() ?? 0)) / 2)
    #expect((rect.x + rect.width / 2 - x).magnitude < 1e-3, comment)
    #expect((rect.y + rect.height / 2 - y).magnitude < 1e-3, comment)
  }

  @Test(arguments: Dataset.allCases, Seeds.each(74...75))
  func `without a grid bounds are those of a scan`(data: Dataset, seed: UInt64) throws {
    let features = data.features(seed: seed, count: 300).map {
      TwinFeature(id: $0.id, coordinate: $0.coordinate, properties: "{\"k\":1}")
    }
    let collection = try IndexedCollection.of(features)
    let index = collection.index
    var generator = SeededGenerator(seed: seed)
    let markers = MarkerColumns(clusterKeys: KeyColumn(index.testColumn("k")))
    var looked = 0
    for round in 0..<8 {
      var sizes = MethodRequest.Markers()
      (sizes.width, sizes.height) = (generator.double(20...400), generator.double(20...400))
      let viewport = try TileViewport(
        rect: WebMercator.world, scale: .zoom(generator.double(0...8)), marginFactor: 0)
      let request = MethodRequest(
        viewport: viewport,
        method: round % 2 == 0
          ? .distance(epsilon: generator.double(1...200)) : .collision(sizes),
        keepApart: [generator.pick(features).id], limit: 10_000)
      let result = try FeatureScope(collection).clusters(request, markers: markers)
      for annotation in result.annotations.filter(\.isCluster).prefix(6) {
        looked += 1
        let id = result.layer(of: annotation).id(of: annotation, in: index)
        let drilldown = try #require(
          try MethodDrilldown(id, in: collection, passing: nil, request, markers: markers))
        let ordinals = result.ordinals(of: annotation, offset: 0, limit: .max)
        let wanted = scannedBounds(of: ordinals.map { index.coordinate(at: $0) })
        let comment: Comment = "round \(round), \(id.text)"
        #expect(drilldown.annotation.count == ordinals.count, comment)
        #expect(
          wanted.contains(result.layer(of: annotation).exactBounds(of: annotation, in: index)),
          comment)
        #expect(
          wanted.map(\.visibleMapRect).contains(try drilldown.expansion().visibleMapRect), comment)
      }
    }
    #expect(looked > 0)
  }

  /// The bounds of coordinates on the shortest arc of longitudes; several if gaps are as wide but for the
  /// width of a step, or if a longitude is so little below 180° that it may count as −180°.
  private func scannedBounds(of coordinates: [Coordinate]) -> [GeoBounds] {
    let latitudes = coordinates.map(\.latitude)
    return [180, 180 - 5e-8].flatMap { end in
      let longitudes = coordinates.map(\.foldedLongitude).map { $0 > end ? -180 : $0 }.sorted()
      // The gap before each longitude in the circle.
      let gaps = longitudes.indices.map { index in
        index == 0
          ? longitudes[0] + 360 - (longitudes.last ?? 0) : longitudes[index] - longitudes[index - 1]
      }
      let widest = gaps.max() ?? 0
      return gaps.indices.filter { gaps[$0] >= widest - 2e-7 }.map { first in
        GeoBounds(
          west: longitudes[first], south: latitudes.min() ?? 0,
          east: longitudes[(first + longitudes.count - 1) % longitudes.count],
          north: latitudes.max() ?? 0)
      }
    }
  }

  @Test func `ids outlive updates, and an empty cell is nothing`() throws {
    let features = Dataset.cities.features(seed: 73)
    var index = try FeatureIndex.of(features)
    let viewport = try TwinRequest(
      .bbox(west: -180, south: -85, east: 180, north: 85), .zoom(4)
    ).viewport()
    let settings = ClusterSettings()
    func counts(_ index: FeatureIndex) throws -> [AnnotationID: Int] {
      let result = try index.clusters(in: viewport, settings: settings, limit: 10_000)
      return Dictionary(
        uniqueKeysWithValues: result.annotations.map {
          (result.layer(of: $0).id(of: $0, in: index), $0.count)
        })
    }
    // One more feature touches one annotation; all others keep id and count.
    let before = try counts(index)
    let more = TwinFeature(
      9_999_999, features[0].coordinate.longitude, features[0].coordinate.latitude)
    index = try index.applying(.upsert(FeatureBatch([more])))
    let after = try counts(index)
    let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    let cells = changed.compactMap { id -> CellPosition? in
      if case .cell(let name) = id { name.cell } else { nil }
    }
    #expect(Set(cells).count == 1 && cells.count == changed.count)

    // Emptied cells are nothing; the features of the others are still found.
    for feature in features { index = try index.applying(.remove([feature.id])) }
    for id in before.keys {
      guard case .cell(var name) = id else { continue }
      name.location = nil
      let whole = AnnotationID.cell(name)
      let holds = try counts(index).keys.contains { other in
        if case .cell(let other) = other { other.cell == name.cell } else { false }
      }
      #expect((Drilldown(whole, in: index, settings: settings) != nil) == holds)
    }
  }

  @Test func `a whole cell is answered as one whatever the thresholds`() throws {
    let features = TwinFeature.coincident(4, at: Coordinate(latitude: 10, longitude: 10))
    let index = try FeatureIndex.of(features)
    let grid = CellGrid(zoom: 3, cellSize: 60)
    let cell = index.withPointers { grid.cell(of: 0, in: $0) }
    var settings = ClusterSettings()
    (settings.minPoints, settings.minUniqueLocationsForClustering) = (50, 3)
    settings.maxZoomLevelForClustering = 0
    let id = AnnotationID.cell(CellName(grid: grid, cellSize: 60, cell: cell))
    let drilldown = try #require(Drilldown(id, in: index, settings: settings))
    #expect(drilldown.annotation.count == 4 && drilldown.annotation.key == .cell(cell))
    #expect(drilldown.expansion.zoom == nil)
    settings.keepApart = [features[0].id]
    let without = try #require(Drilldown(id, in: index, settings: settings))
    #expect(without.annotation.count == 3)
    #expect(throws: ImpossibleRequest.self) { try drilldown.children(zoom: 24.5, limit: 10) }
    #expect(throws: ImpossibleRequest.self) { try drilldown.children(zoom: -1, limit: 10) }
  }
}

extension Drilldown {
  /// Looks an id up, with nothing but settings.
  init?(_ id: AnnotationID, in index: FeatureIndex, settings: ClusterSettings) {
    var options = Options()
    options.settings = settings
    self.init(id, in: IndexedCollection(index), options)
  }

  /// A page of its features.
  fileprivate func ordinals(offset: Int, limit: Int) -> [Int] {
    result.ordinals(of: annotation, offset: offset, limit: limit)
  }
}

extension FeatureIndex {
  /// Lends the raw parts while the index is kept alive.
  fileprivate func withPointers<R>(_ body: (IndexPointers) -> R) -> R {
    withExtendedLifetime(self) { body(points.pointers) }
  }
}

extension TwinRequest {
  /// The request that an annotation's children answer: none of its features is kept apart.
  fileprivate var asChild: TwinRequest {
    var child = self
    child.keepApart = []
    return child
  }
}
