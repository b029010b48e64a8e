import TestSupport
import Testing

@testable import ClusterCore

/// What cells add up to, however it is added up.
@Suite(.timeLimit(.minutes(5))) struct GridSummationTests {
  @Test(arguments: [1000, 0])
  func `it stops beyond the cells that anybody needs`(sharedFrom: Int) throws {
    let index = try FeatureIndex.of(
      Dataset.uniform.features(seed: 6, count: 12_000), blockCapacity: 16)
    let grid = CellGrid(cellsPerWorld: 1 << 14)
    func count(limit: Int, _ cells: GridRange) -> Int {
      GridSummation.withSums(
        of: index.points, in: EverywhereRegion(), by: cells, excluding: OrdinalSet([]),
        countingLocations: false, limit: limit, sharedFrom: sharedFrom
      ) { $0.count }
    }
    let all = GridRange(grid: grid, firstColumn: 0, columnCount: 1 << 14, rows: 0..<1 << 14)
    let total = count(limit: .max, all)
    #expect(total > 2600)
    #expect(count(limit: total, all) == total)
    // It notices after a batch of 32 leaves, each a block of 16 points, and adds another one that was begun.
    // Every part of what several processors do goes that far.
    let some = count(limit: 100, all)
    #expect(some > 100 && (sharedFrom == 0 || some < 1300), "\(some) of \(total)")
  }

  @Test func `memory of an earlier summation doesn't show`() throws {
    let index = try FeatureIndex.of(Dataset.uniform.features(seed: 7), blockCapacity: 50)
    var generator = SeededGenerator(seed: 7)
    // Small and large ranges, in tables with a place for each cell and others, by turns.
    for _ in 0..<60 {
      let side = 1 << generator.int(0...12)
      let (column, row) = (generator.int(0...side - 1), generator.int(0...side - 1))
      let cells = GridRange(
        grid: CellGrid(cellsPerWorld: side), firstColumn: column,
        columnCount: generator.int(1...side), rows: row..<generator.int(row + 1...side))
      let sums = GridSummation.sums(
        of: index.points, in: EverywhereRegion(), by: cells, excluding: OrdinalSet([]),
        countingLocations: false)
      var expected: [CellPosition: [Int]] = [:]
      for ordinal in index.ordinals {
        let cell = cells.grid.cell(of: ordinal, in: index.points.pointers)
        if cells.contains(cell) { expected[cell, default: []].append(ordinal) }
      }
      #expect(sums.map(\.cell) == expected.keys.sorted())
      for sum in sums {
        #expect(sum.count == expected[sum.cell]?.count)
        #expect(sum.first == expected[sum.cell]?.min())
      }
    }
  }

  @Test(arguments: Dataset.allCases)
  func `neither vectors nor the number of processors show`(data: Dataset) throws {
    for blockCapacity in [4, 50, 1024] {
      let index = try FeatureIndex.of(data.features(seed: 5), blockCapacity: blockCapacity)
      let ordinals = index.ordinals
      var generator = SeededGenerator(seed: 5)
      for _ in 0..<15 {
        let viewport = try Viewport(
          rect: try VisibleRect.bbox(
            west: generator.double(-180...180), south: generator.double(-90...0),
            east: generator.double(-180...180), north: generator.double(0...90)),
          scale: .zoom(generator.double(0...8)), cellSize: generator.double(80...200),
          marginFactor: 0.5)
        let excluded = OrdinalSet((0..<generator.int(0...3)).map { _ in generator.pick(ordinals) })
        func check(_ region: some IndexRegion) {
          func sums(_ vectors: Vectors?, sharedFrom: Int) -> [CellSum] {
            GridSummation.sums(
              of: index.points, in: region, by: viewport.cells, excluding: excluded,
              countingLocations: false, vectors: vectors, sharedFrom: sharedFrom)
          }
          let plain = sums(nil, sharedFrom: .max)
          let others = Vectors.usable.map { ($0, Int.max) } + [(.best, 0), (nil, 0)]
          for (vectors, sharedFrom) in others {
            let other = sums(vectors, sharedFrom: sharedFrom)
            #expect(plain.count == other.count)
            for (a, b) in zip(plain, other) {
              #expect(a.cell == b.cell && a.sum == b.sum && a.first == b.first)
            }
          }
        }
        check(EverywhereRegion())
        let world = WebMercator.worldSize
        check(
          MapRegion(
            MapRect(
              x: generator.double(0...world), y: generator.double(0...world / 2),
              width: generator.double(0...world), height: generator.double(0...world))))
      }
    }
  }
}
