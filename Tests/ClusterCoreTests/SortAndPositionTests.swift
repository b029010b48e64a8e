import TestSupport
import Testing

@testable import ClusterCore

/// The pieces under the index: sorting, interleaving, and the quick way to a cell.
@Suite(.timeLimit(.minutes(5))) struct SortAndPositionTests {
  @Test(arguments: 0..<40)
  func `radix sort is a stable sort`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    // The last two don't fit the cache.
    let count = generator.pick([0, 1, 2, 3, 100, 3000, 40_000, 100_000])
    // Keys that differ in a few digits only, in all, or in none; long and short runs of those that agree
    // in the higher ones.
    let mask: UInt64 = generator.pick([
      .max, 0, 0x7, 1 << 63, 0xFFFF << 20, 0x7FF << 11, 0xF_FFFF, 0x3FF << 20 | 0xF_FFFF,
    ])
    let offset = generator.next() & ~mask
    let input = (0..<count).map { _ in generator.next() & mask | offset }
    let keys = WritableArray<UInt64>(count: count)
    let values = WritableArray<UInt32>(count: count)
    for (index, key) in input.enumerated() {
      keys.pointer[index] = key
      values.pointer[index] = UInt32(index)
    }
    RadixSort.sort(keys: keys.pointer, values: values.pointer, count: count)
    let wanted = input.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
    #expect((0..<count).map { keys.pointer[$0] } == wanted.map(\.element))
    #expect((0..<count).map { Int(values.pointer[$0]) } == wanted.map(\.offset))
  }

  @Test func `interleaving keeps every bit in its place`() {
    var generator = SeededGenerator(seed: 5)
    for round in 0..<2000 {
      let x = round < 32 ? 1 << UInt32(round) : UInt32.random(in: 0...(.max), using: &generator)
      let y = round < 32 ? 0 : UInt32.random(in: 0...(.max), using: &generator)
      let position = Position(x: x, y: y)
      var expected: UInt64 = 0
      for bit in 0..<UInt64(32) {
        expected |= UInt64(x >> UInt32(bit) & 1) << (2 * bit)
        expected |= UInt64(y >> UInt32(bit) & 1) << (2 * bit + 1)
      }
      #expect(position.zOrder == expected)
    }
  }

  @Test func `positions stay in the world`() {
    let world = WebMercator.worldSize
    for value in [
      -1e300, -1, -0.0, 0, .leastNonzeroMagnitude, world.nextDown, world, world.nextUp, 1e300,
    ] {
      let position = Position(MapPoint(x: value, y: value))
      let exact = min(max(value * 16, 0), 4_294_967_295)
      #expect(Double(position.x) == exact.rounded(.down))
    }
  }

  @Test(arguments: 0..<30)
  func `the cells of a step hold the cell of every value in it`(seed: Int) {
    var generator = SeededGenerator(seed: 100 + UInt64(seed))
    let sizes = [1, 2, 3, 17, 256, 1000, 4096, 999_983, 1 << 24, 999_999_999, 1 << 32]
    let cells =
      seed < sizes.count
      ? sizes[seed] : generator.pick([generator.int(1...270_000_000_000), 274_877_906_944])
    let grid = CellGrid(cellsPerWorld: cells)
    let defining: (Double) -> Int = {
      min(Int(($0 / (268_435_456 / Double(cells))).rounded(.down)), cells - 1)
    }
    for _ in 0..<400 {
      let step = step(grid, using: &generator)
      let (first, last) = grid.cells(ofStep: step)
      let (low, high) = (Double(step) / 16, ((Double(step) + 1) / 16).nextDown)
      // Never narrower than the truth, and no wider than its ends.
      #expect(first == defining(low) && last == defining(high), "step \(step) of \(cells)")
      for value in [low, high, low + (high - low) * generator.double(0...1)] {
        #expect(grid.cell(of: value) == defining(value))
        #expect(grid.cell(ofStep: step) { value } == defining(value))
      }
    }
  }

  /// A random step, or one at or beside a grid line.
  private func step(_ grid: CellGrid, using generator: inout SeededGenerator) -> UInt32 {
    if generator.chance(0.3) { return generator.pick([0, 1, .max, .max - 1, 1 << 31]) }
    if generator.chance(0.4) { return UInt32.random(in: 0...(.max), using: &generator) }
    let line = Double(generator.int(0...grid.cellsPerWorld)) * grid.cellMapSize * 16
    let beside = line.rounded(.down) + Double(generator.int(-1...1))
    return UInt32(min(max(beside, 0), 4_294_967_295))
  }

  @Test func `a grid has as many cells as the contract's formula says`() {
    #expect(CellGrid(zoom: 0, cellSize: 2048).cellsPerWorld == 1)
    #expect(CellGrid(zoom: -10, cellSize: 2048).cellMapSize == WebMercator.worldSize)
    #expect(CellGrid(zoom: 0, cellSize: 256).cellsPerWorld == 1)
    #expect(CellGrid(zoom: 0, cellSize: 256.1).cellsPerWorld == 1)
    #expect(CellGrid(zoom: 1, cellSize: 60).cellsPerWorld == 8)
    #expect(CellGrid(zoom: 30, cellSize: 1).cellsPerWorld == 274_877_906_944)
    // 256·2^z/cellSize is 3 but for rounding.
    #expect(CellGrid(zoom: 3, cellSize: 2048.0 / 3).cellsPerWorld == 3)
    #expect(CellGrid(zoom: 3, cellSize: (2048.0 / 3).nextUp).cellsPerWorld == 3)
  }
}
