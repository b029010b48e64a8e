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

  @Test(arguments: Vectors.usable)
  func `leaves are split to the same bits`(vectors: Vectors) {
    var generator = SeededGenerator(seed: 1)
    var (split, unclear) = (0, 0)
    for round in 0..<8_000 {
      let count = 1 + generator.int(0...(round.isMultiple(of: 50) ? 300 : 70))
      let width = UInt32(1) << UInt32(generator.int(0...29))
      let start = UInt32(generator.int(0...Int(UInt32.max - width)))
      let positions = points(count, &generator, from: start, width: width)
      let box = positions.reduce(into: PositionBox.empty) { $0.formUnion(PositionBox($1)) }
      let (x, y) = (
        Int(start) + generator.int(0...Int(width) + 1),
        Int(start) + generator.int(0...Int(width) + 1)
      )
      positions.withUnsafeBufferPointer { positions in
        guard let first = positions.baseAddress else { return }
        func leaf(_ vectors: Vectors?) -> LeafSplit {
          LeafSplit(first, count: count, box, .shared, vectors)
        }
        for (line, isColumn) in [(x, true), (y, false)] {
          let plain = leaf(nil).halves(at: line, isColumn: isColumn)
          let vector = leaf(vectors).halves(at: line, isColumn: isColumn)
          #expect(plain?.0 == vector?.0 && plain?.1 == vector?.1)
          // What they add up to is known from elsewhere, too.
          let axis = positions.map { Int(isColumn ? $0.x : $0.y) }
          #expect((plain == nil) == axis.contains { ($0 - line).magnitude <= 1 })
          if let plain { #expect(plain.0.count == axis.filter { $0 < line }.count) }
          if plain == nil { unclear += 1 } else { split += 1 }
        }
        let plain = leaf(nil).quarters(at: x, y), vector = leaf(vectors).quarters(at: x, y)
        #expect(plain?.0 == vector?.0 && plain?.1 == vector?.1)
        #expect(plain?.2 == vector?.2 && plain?.3 == vector?.3)
      }
    }
    #expect(split > 1000 && unclear > 1000)
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

  @Test(arguments: Vectors.usable)
  func `points are in the cells that they are in`(vectors: Vectors) throws {
    var generator = SeededGenerator(seed: 3)
    var (clear, inside) = (0, 0)
    for _ in 0..<5_000 {
      let grid = CellGrid(cellsPerWorld: generator.int(1...1 << generator.int(1...32)))
      let size = grid.cellMapSize
      let corner = Double(generator.int(0...grid.cellsPerWorld - 1)) * size
      let cells = GridRange(
        grid: grid,
        covering: MapRect(
          x: corner, y: corner, width: generator.double(0.1...20) * size,
          height: generator.double(0.1...20) * size))
      guard let columns = cells.columnRanges.last, !columns.isEmpty, !cells.rows.isEmpty else {
        continue
      }
      let width = UInt32(1) << UInt32(generator.int(0...29))
      let start = UInt32(min(corner * Position.stepsPerMapPoint, Double(UInt32.max - width)))
      let points = points(generator.int(1...8), &generator, from: start, width: width)
      let window = GridWindow(cells, columns)
      let intervals = Set(points.map { StepDegrees.interval(of: $0.y) })
      let latitudes = StepDegrees.shared.forVectors(isOneInterval: intervals.count == 1)
      var (plain, vector) = (cvectors_points(), cvectors_points())
      window.locate(points, points.count, .shared, &plain)
      points.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        withUnsafePointer(to: window.forVectors) {
          vectors.functions.locate(
            start.assumingMemoryBound(to: UInt64.self), points.count, $0, latitudes, &vector)
        }
      }
      for number in points.indices {
        #expect(
          withUnsafeMutablePointer(to: &plain) { $0.latitude(number) }
            == withUnsafeMutablePointer(to: &vector) { $0.latitude(number) })
        // The vectorized one may be less certain, but not of another cell.
        guard vector.is_clear >> number & 1 != 0 else { continue }
        #expect(plain.is_clear >> number & 1 != 0)
        #expect(CellPosition(&plain, number) == CellPosition(&vector, number))
        #expect(plain.is_inside >> number & 1 == vector.is_inside >> number & 1)
        clear += 1
        inside += Int(vector.is_inside >> number & 1)
      }
    }
    #expect(clear > 5_000 && inside > 1_000)
  }

  @Test(arguments: Vectors.usable)
  func `boxes are in the cells that they are in`(vectors: Vectors) throws {
    var generator = SeededGenerator(seed: 2)
    var clear = 0
    for _ in 0..<10_000 {
      let side = generator.int(1...1 << generator.int(1...33))
      let grid = CellGrid(cellsPerWorld: side)
      let cell = Double(1 << 32) / Double(side)
      // A few dozen cells anywhere.
      let corner = (generator.int(0...side - 1), generator.int(0...side - 1))
      let size = grid.cellMapSize
      let cells = GridRange(
        grid: grid,
        covering: MapRect(
          x: Double(corner.0) * size, y: Double(corner.1) * size,
          width: generator.double(0.1...40) * size, height: generator.double(0.1...40) * size))
      guard let columns = cells.columnRanges.first, !columns.isEmpty, !cells.rows.isEmpty else {
        continue
      }
      let window = GridWindow(cells, columns)
      // Boxes around there, of the size of a few cells.
      let nodes = (0..<generator.int(1...4)).map { _ in
        func steps(_ start: Int) -> (UInt32, UInt32) {
          let low = (Double(start) + generator.double(-2...42)) * cell
          let high = low + generator.double(0...2) * cell
          return (UInt32(min(max(low, 0), 0xFFFF_FFFF)), UInt32(min(max(high, 0), 0xFFFF_FFFF)))
        }
        let (x, y) = (steps(corner.0), steps(corner.1))
        return Quadtree.Node(
          begin: 0, end: 1, box: PositionBox(minX: x.0, minY: y.0, maxX: x.1, maxY: y.1))
      }
      var found = cvectors_cells()
      withUnsafePointer(to: window.forVectors) {
        vectors.functions.look(nodes, nodes.count, $0, &found)
      }
      for (number, node) in nodes.enumerated() where found.is_clear >> number & 1 != 0 {
        clear += 1
        let span = window.span(of: node.box)
        #expect((span != nil) == (found.is_touched >> number & 1 != 0))
        guard let span else { continue }
        let own = GridWindow.CellSpan(&found, number)
        #expect(own.first == span.first && own.last == span.last)
        #expect(own.isInWindow == span.isInWindow && own.isOneCell == span.isOneCell)
      }
    }
    #expect(clear > 5_000)
  }
}
