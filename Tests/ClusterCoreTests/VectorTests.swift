import CVectors
import TestSupport
import Testing

@testable import ClusterCore

/// What vectors compute, beside the same for all processors: to the last bit, for sums must not depend on where
/// they were added up.
@Suite(
  .timeLimit(.minutes(5)),
  .enabled(if: Vectors.best != nil, "this processor hasn't the instructions"))
struct VectorTests {

  /// Points in a square of some steps, and now and then on its edges or on each other.
  private func points(
    _ count: Int, _ generator: inout SeededGenerator, from start: UInt32, width: UInt32
  ) -> [Position] {
    (0..<count).map { _ in
      func step() -> UInt32 {
        start
          &+ (generator.int(0...7) == 0
            ? (generator.int(0...1) == 0 ? 0 : width)
            : UInt32(generator.int(0...Int(width))))
      }
      return Position(x: step(), y: step())
    }
  }

  /// A feature in the middle of a step.
  private func feature(_ number: Int, _ position: Position) -> TwinFeature {
    TwinFeature(
      id: FeatureID(known: number),
      coordinate: Coordinate(
        latitude: WebMercator.latitude(y: (Double(position.y) + 0.5) / Position.stepsPerMapPoint),
        longitude: WebMercator.longitude(x: (Double(position.x) + 0.5) / Position.stepsPerMapPoint))
    )
  }

  @Test func `values that vectors read are laid out as they expect`() {
    #expect(MemoryLayout<CellSum>.size == MemoryLayout<cvectors_cell>.size)
    #expect(
      MemoryLayout<CellSum>.offset(of: \.sum) == MemoryLayout<cvectors_cell>.offset(of: \.sum))
    #expect(
      MemoryLayout<CellSum>.offset(of: \.locations)
        == MemoryLayout<cvectors_cell>.offset(of: \.locations))
    #expect(MemoryLayout<Quadtree.Node>.size == MemoryLayout<cvectors_node>.size)
    #expect(
      MemoryLayout<Quadtree.Node>.offset(of: \.box)
        == MemoryLayout<cvectors_node>.offset(of: \.min_x))
    #expect(MemoryLayout<NodeSum>.size == MemoryLayout<cvectors_node_sum>.size)
    #expect(MemoryLayout<BlockPointers>.size == MemoryLayout<cvectors_block>.size)
    #expect(
      MemoryLayout<BlockPointers>.offset(of: \.firstOrdinal)
        == MemoryLayout<cvectors_block>.offset(of: \.first))
    #expect(
      MemoryLayout<GridScratch.Siblings>.size == MemoryLayout<cvectors_siblings>.size)
  }

  @Test(arguments: Vectors.usable)
  func `cells add up to the same bits`(vectors: Vectors) throws {
    var generator = SeededGenerator(seed: 1)
    var cellCount = 0
    for round in 0..<400 {
      // Some are as wide as the world, others as a few steps, where grid lines are close to all of them.
      let width = UInt32(1) << UInt32(generator.int(0...31))
      let start = UInt32(generator.int(0...Int(UInt32.max - width)))
      let positions = points(
        1 + generator.int(0...(round.isMultiple(of: 4) ? 3000 : 200)), &generator, from: start,
        width: width)
      let index = try FeatureIndex.of(
        positions.enumerated().map { feature($0.offset + 1, $0.element) },
        blockCapacity: generator.pick([4, 50, 200, 1024]))
      let extent = Double(width) / Position.stepsPerMapPoint
      let corner = Double(start) / Position.stepsPerMapPoint
      for columns in [0.3, 1, 2, 7, 40] {
        let grid = CellGrid(
          cellsPerWorld: Int(min(WebMercator.worldSize / extent * columns, 0x1p33)) + 1)
        let cells = GridRange(
          grid: grid,
          covering: MapRect(
            x: corner + generator.double(-1...1) * extent,
            y: corner + generator.double(-1...1) * extent,
            width: generator.double(0...2) * extent, height: generator.double(0...2) * extent))
        guard !cells.rows.isEmpty else { continue }
        func sums(_ vectors: Vectors?) -> [CellSum] {
          GridSummation.sums(
            of: index.points, in: EverywhereRegion(), by: cells, excluding: OrdinalSet([]),
            countingLocations: false, vectors: vectors)
        }
        let (plain, vector) = (sums(nil), sums(vectors))
        #expect(plain.count == vector.count)
        for (a, b) in zip(plain, vector) {
          #expect(a.cell == b.cell && a.sum == b.sum && a.first == b.first, "round \(round)")
        }
        // What they hold is known from elsewhere, too.
        let pointers = index.points.pointers
        let inside = index.ordinals.filter { cells.contains(grid.cell(of: $0, in: pointers)) }
        #expect(plain.reduce(0) { $0 + $1.count } == inside.count)
        cellCount += plain.count
      }
    }
    #expect(cellCount > 20_000)
  }

  @Test(arguments: Vectors.usable)
  func `means and bounds are the same to the last bit`(vectors: Vectors) {
    var generator = SeededGenerator(seed: 4)
    let figures = CellFigures()
    defer { figures.deallocate() }
    for round in 0..<10_000 {
      let sums = (0..<generator.int(1...8)).map { _ in
        let width = UInt32(1) << UInt32(generator.int(0...31))
        // Also beside the world's edges and where a mean has few digits.
        let start = UInt32(generator.int(0...Int(UInt32.max - width)))
        let first =
          generator.chance(0.2) ? 1 : generator.chance(0.2) ? UInt32.max - width - 1 : start
        var sum = CellSum(cell: CellPosition(column: 0, row: 0))
        for position in points(generator.int(1...20), &generator, from: first, width: width) {
          sum.sum.add(position, latitude: StepDegrees.shared.latitude(position.y))
        }
        // As many as a large collection has.
        let factor = generator.chance(0.3) ? generator.int(1...20_000_000) : 1
        sum.sum.count *= factor
        sum.sum.longitudes *= UInt64(factor)
        sum.sum.latitudes *= Int64(factor)
        return sum
      }
      let slots = sums.indices.map { Int32($0) }.shuffled(using: &generator)
      figures.find(of: sums, slots, count: slots.count, vectors)
      for (index, slot) in slots.enumerated() where !sums[Int(slot)].sum.box.isPolar {
        let (found, plain) = (figures[index], CellFigures.figures(of: sums[Int(slot)].sum))
        #expect(bits(found) == bits(plain), "round \(round)")
      }
    }
  }

  @Test func `all functions write the same texts`() throws {
    var generator = SeededGenerator(seed: 5)
    let usable = (0..<8).compactMap { cvectors_usable($0) }
    for _ in 0..<20_000 {
      let numbers = (0..<8).map { _ in
        let scale = generator.pick([1e2, 1e4, 1e7, 1e8, 1e9])
        let number = (generator.double(-2000...2000) * scale).rounded() / scale
        return generator.chance(0.1)
          ? generator.pick([0, -0.0, .nan, .infinity, 1e-7, 999.99999999]) : number
      }
      let texts = usable.map { functions in
        var found = cvectors_decimals()
        functions.pointee.decimals(numbers, &found)
        return withUnsafeBytes(of: found) { bytes in
          (0..<8).filter { found.is_plain >> $0 & 1 != 0 }.map { number in
            let length = bytes.loadUnaligned(fromByteOffset: 128 + number * 8, as: Int.self)
            let text = bytes.dropFirst(number * 16).prefix(length)
            return Written(number: number, text: String(decoding: text, as: UTF8.self))
          }
        }
      }
      #expect(Set(texts).count == 1)
      for written in texts[0] { #expect(Double(written.text) == numbers[written.number]) }
    }
  }

  private struct Written: Hashable {
    let number: Int
    let text: String
  }

  private func bits(_ cell: CellFigures.Cell) -> [UInt64] {
    [
      cell.coordinate.latitude, cell.coordinate.longitude, cell.bounds.west, cell.bounds.south,
      cell.bounds.east, cell.bounds.north,
    ].map(\.bitPattern)
  }
}

extension Vectors {
  /// All that this processor has the instructions for, the best first.
  static var usable: [Vectors] {
    // More than there are versions.
    (0..<8).compactMap { cvectors_usable($0) }.map(Vectors.init(pointer:))
  }
}
