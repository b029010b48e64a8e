import TestSupport
import Testing

@testable import ClusterCore

/// What the features that pass a filter add up to, without selecting them, against a look at each of them.
@Suite(.timeLimit(.minutes(5))) struct FilteredSummationTests {
  private struct Expected: Equatable {
    var sum = PointSum()
    var first = Int.max

    mutating func add(_ ordinal: Int, at position: Position, latitude: Int64) {
      sum.add(position, latitude: latitude)
      first = min(first, ordinal)
    }
  }

  private func expected(
    _ index: FeatureIndex, _ cells: GridRange, _ passes: (Int) -> Bool
  ) -> [CellPosition: Expected] {
    let pointers = index.points.pointers
    var all: [CellPosition: Expected] = [:]
    for ordinal in index.ordinals where passes(ordinal) {
      let cell = cells.grid.cell(of: ordinal, in: pointers)
      guard cells.contains(cell) else { continue }
      let position = index.points.position(at: ordinal)
      let latitude = pointers.degrees.latitude(
        position.y, exactly: index.coordinate(at: ordinal))
      all[cell, default: Expected()].add(ordinal, at: position, latitude: latitude)
    }
    return all
  }

  private func sums(
    _ index: FeatureIndex, _ region: some IndexRegion, _ cells: GridRange, sharedFrom: Int = .max
  ) -> [CellPosition: Expected] {
    let sums = GridSummation.sums(
      of: index.points, in: region, by: cells, excluding: OrdinalSet([]), countingLocations: false,
      sharedFrom: sharedFrom)
    return Dictionary(
      uniqueKeysWithValues: sums.map { ($0.cell, Expected(sum: $0.sum, first: $0.first)) })
  }

  private func view(_ generator: inout SeededGenerator) throws -> GridRange {
    try Viewport(
      rect: try VisibleRect.bbox(
        west: generator.double(-180...180), south: generator.double(-90...0),
        east: generator.double(-180...180), north: generator.double(0...90)),
      scale: .zoom(generator.double(0...7)), cellSize: generator.double(60...300),
      marginFactor: generator.pick([0, 1])
    ).cells
  }

  private func region(
    _ filter: FeatureFilter, _ collection: IndexedCollection, isRemembered: Bool
  ) -> FilterRegion {
    FilterRegion(
      shapes: filter.shapes, filter: filter.bind(),
      masks: isRemembered ? filter.rest.flatMap { collection.masks(of: $0) } : nil)
  }

  @Test(arguments: Seeds.each(1...6))
  func `random filters add up to what passes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var collection = try IndexedCollection(
      FeatureIndex.of(
        generator.propertyFeatures(500), blockCapacity: generator.pick([5, 20, 100, 1024])))
    var filters = [FilterExpression.shape(generator.shape())]
    for _ in 0..<14 {
      var parts = [generator.richCondition()]
      if generator.chance(0.6) { parts.append(.shape(generator.shape())) }
      if generator.chance(0.4) { parts.append(.not(.shape(generator.shape()))) }
      if generator.chance(0.3) { parts.append(generator.expression(depth: 2)) }
      filters.append(.and(parts))
    }
    for round in 0..<45 {
      let expression = filters[round % filters.count]
      let index = collection.index
      let filter = FeatureFilter(expression, of: index) { [collection] in collection.testColumn($0)
      }
      let region = region(filter, collection, isRemembered: generator.chance(0.5))
      let cells = try view(&generator)
      let wanted = expected(index, cells) { ordinal in
        expression.isTrue(at: index.coordinate(at: ordinal)) {
          OwnedValue(String(decoding: $0, as: UTF8.self), at: ordinal, of: index)
        } == true
      }
      #expect(sums(index, region, cells) == wanted, "\(expression)")
      #expect(sums(index, region, cells, sharedFrom: 0) == wanted, "\(expression)")
      // The same without the walk that the region has of its own.
      let stepwise = IntersectionRegion(a: EverywhereRegion(), b: region)
      #expect(sums(index, stepwise, cells) == wanted, "\(expression)")
      if generator.chance(0.4) {
        let batch = (0..<generator.pick([1, 9])).map { _ in
          generator.propertyFeature(id: generator.int(0...550))
        }
        collection = try collection.applying(.upsert(FeatureBatch(batch)))
      }
    }
  }

  /// Points on the edges of polygons, at their corners, and so near to both that only coordinates tell.
  @Test(arguments: Seeds.each(1...6))
  func `features at borders are in or out to the last bit`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<8 {
      let shapes = (0..<generator.int(1...3)).map { _ in generator.shape() }
      var features: [TwinFeature] = []
      func add(_ place: Coordinate) {
        let place = place.withinWorld
        features.append(TwinFeature(features.count, place.longitude, place.latitude))
      }
      for shape in shapes {
        for edge in shape.edges.all {
          for _ in 0..<generator.pick([2, 20]) {
            let part = generator.pick([0, 1, 0.5, generator.double(0...1)])
            func shift() -> Double {
              generator.pick([0, 0, 0x1p-50, 1e-9, 5e-8, 1.5e-7, 1.6e-7, 1e-6, 0.01])
                * generator.pick([1, -1])
            }
            add(
              Coordinate(
                latitude: edge.ay + (edge.by - edge.ay) * part + shift(),
                longitude: edge.ax + (edge.bx - edge.ax) * part + shift()))
          }
        }
        for box in shape.envelopes {
          for x in [box.west, box.east] {
            for y in [box.south, box.north] {
              for shift in [0, 0x1p-50, -0x1p-50, 1e-7, -1e-7] {
                add(Coordinate(latitude: y + shift, longitude: x))
                add(Coordinate(latitude: y, longitude: x + shift))
              }
            }
          }
        }
      }
      let index = try FeatureIndex.of(features, blockCapacity: generator.pick([5, 64, 1024]))
      let region = ShapesRegion(
        elements: shapes.enumerated().map {
          ShapesRegion.Element(shape: $1, isExcluded: $0 > 0 && generator.chance(0.5))
        })
      let part = FilterRegion(shapes: region, filter: nil, masks: nil)
      for _ in 0..<3 {
        let cells = try view(&generator)
        let wanted = expected(index, cells) { ordinal in
          let place = index.coordinate(at: ordinal)
          return region.elements.allSatisfy { $0.shape.contains(place) != $0.isExcluded }
        }
        #expect(sums(index, part, cells) == wanted)
      }
    }
  }

  /// A district of many corners, whose inside is added up as a whole.
  @Test func `many corners and many features`() throws {
    var generator = SeededGenerator(seed: 9)
    let features = (0..<30_000).map { id in
      let isCrowded = generator.chance(0.8)
      return TwinFeature(
        id, generator.double(isCrowded ? 8...12 : -180...180),
        generator.double(isCrowded ? 48...52 : -85...85))
    }
    let index = try FeatureIndex.of(features)
    for radius in [0.5, 3, 20] {
      var corners = (0..<200).map { number -> Coordinate in
        let reach = radius * generator.double(0.6...1)
        let side = Double(number % 50) / 50
        let (x, y) = [
          (side, 1 - side), (1 - side, -side), (-side, side - 1), (side - 1, side),
        ][number / 50]
        return Coordinate(latitude: 50 + reach * y, longitude: 10 + reach * x)
      }
      corners.append(corners[0])
      let shape = try Shape([.polygon([corners])])
      let region = FilterRegion(
        shapes: ShapesRegion(elements: [.init(shape: shape, isExcluded: false)]), filter: nil,
        masks: nil)
      for zoom in [0, 4, 6.5] {
        let cells = try Viewport(
          rect: try VisibleRect.bbox(west: -40, south: 20, east: 40, north: 70), scale: .zoom(zoom),
          cellSize: 60, marginFactor: 0
        ).cells
        let wanted = expected(index, cells) { shape.contains(index.coordinate(at: $0)) }
        #expect(sums(index, region, cells) == wanted)
        #expect(wanted.values.reduce(0) { $0 + $1.sum.count } > 100)
      }
    }
  }

  @Test(arguments: Seeds.each(1...4))
  func `what is said of a block holds for its features`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    // Blocks in which all have a number or a time, some have, or none.
    let features = (0..<400).map { id -> TwinFeature in
      let part = id / 80
      var members: [TestJSON.Member] = []
      if part < 2 || (part < 4 && generator.chance(0.5)) {
        members.append(.init("n", .number("\(part * 10 + generator.int(0...part * 5))")))
        members.append(
          .init(
            "t", .string("\(generator.pick(["T", "T", "D"]))\(part * 100 + generator.int(0...5))"))
        )
      }
      if part == 2 { members.append(.init("p", .string("x"))) }
      return TwinFeature(id, Double(id) / 3, 0, TestJSON.object(members).text)
    }
    let index = try FeatureIndex.of(features, blockCapacity: 10)
    var seen: [Coverage: Int] = [:]
    for _ in 0..<400 {
      let n = FilterExpression.Operand.property([110])
      let (a, b) = (Double(generator.int(-1...50)), Double(generator.int(-1...50)))
      let condition: FilterExpression =
        switch generator.int(0...5) {
        case 0: .between(n, .number(min(a, b)), .number(max(a, b)))
        case 1: .comparison(n, generator.pick(FilterExpression.Comparison.allCases), .number(a))
        case 2: .isNull(.property(generator.pick([[110], [112]])))
        case 3: .comparison(.property([112]), .equal, .string([120]))
        case 4:
          .window(property: [116], TimeExtent(first: min(a, b) * 10, last: max(a, b) * 10 + 1))
        default: generator.richCondition()
        }
      let expression: FilterExpression =
        switch generator.int(0...3) {
        case 0: condition
        case 1: .not(condition)
        case 2: .and([condition, generator.richCondition()])
        default: .or([.not(condition), generator.richCondition()])
        }
      let filter = BoundFilter(expression, of: index) { index.testColumn($0) }
      for number in index.blocks.indices {
        let count = index.blocks[number].count
        let coverage = filter.coverage(ofBlock: number)
        seen[coverage, default: 0] += 1
        let passing = filter.mask(from: number << PointIndex.blockBits, count: count)
          .nonzeroBitCount
        switch coverage {
        case .inside: #expect(passing == count, "\(expression)")
        case .outside: #expect(passing == 0, "\(expression)")
        case .partial: break
        }
      }
    }
    #expect(seen.values.allSatisfy { $0 > 500 } && seen.count == 3, "\(seen)")
  }
}
