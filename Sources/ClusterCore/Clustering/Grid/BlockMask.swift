import CHints
import CVectors
import Threading

/// Which features of one block after the other pass the filter of a ``FilterRegion``.
final class BlockMask {
  private let region: FilterRegion
  private let own: UnsafeMutablePointer<UInt64>
  /// The bits of the block.
  private var words: UnsafePointer<UInt64>
  /// The number of the block; -1 for none.
  private(set) var block = -1
  /// How many of its features pass.
  private(set) var passing = Coverage.partial
  /// The sum of them.
  private var known = FilterMasks.Block()
  private var ordinals = 0..<0

  init(_ region: FilterRegion) {
    self.region = region
    own = .allocate(capacity: FilterMasks.wordsPerBlock)
    own.initialize(repeating: 0, count: FilterMasks.wordsPerBlock)
    words = UnsafePointer(own)
  }

  deinit { own.deallocate() }

  /// Fetches what tells which features of a block pass.
  func prefetch(_ number: Int, _ pointers: IndexPointers) {
    chints_prefetch(pointers.blocks[number].nodes)
    region.masks?.prefetch(number)
  }

  /// Finds the bits of a block.
  func load(_ number: Int, _ pointers: IndexPointers) {
    guard number != block, let filter = region.filter else { return }
    let features = pointers.blocks[number]
    (block, ordinals) = (number, features.ordinals)
    if let remembered = region.masks?.block(number) {
      (words, known) = (remembered.words, remembered.block)
    } else {
      words = UnsafePointer(own)
      let passing = filter.write(maskOfBlock: number, count: features.count, to: own)
      known = FilterMasks.Block()
      known.sum.count = passing
      if let masks = region.masks {
        if passing > 0, passing < features.count, !features.nodes.pointee.box.isPolar {
          let sum = sum(features.ordinals, features.nodes.pointee.box, pointers)
          known = FilterMasks.Block(sum: sum.sum, first: sum.first - features.firstOrdinal)
        }
        if !Cancellation.isOver { masks.remember(number, words, known) }
      }
    }
    passing =
      known.sum.count == 0 ? .outside : known.sum.count == features.count ? .inside : .partial
  }

  /// Whether the feature with an ordinal, which is in the block, passes.
  @inline(__always)
  func contains(_ ordinal: Int) -> Bool {
    let offset = ordinal & (PointIndex.maximumBlockCount - 1)
    return words[offset &>> 6] &>> UInt64(truncatingIfNeeded: offset & 63) & 1 != 0
  }

  /// The sum of those of a run in the block that pass, and the ordinal of the first of them.
  ///
  /// - Parameter box: the box of the run, which isn't polar.
  @inline(__always)
  func sum(
    of points: Range<Int>, _ box: PositionBox, _ pointers: IndexPointers
  ) -> (sum: PointSum, first: Int) {
    if points == ordinals, region.masks != nil, known.sum.box != PositionBox.empty {
      return (known.sum, ordinals.lowerBound + known.first)
    }
    return sum(points, box, pointers)
  }

  private func sum(
    _ points: Range<Int>, _ box: PositionBox, _ pointers: IndexPointers
  ) -> (sum: PointSum, first: Int) {
    let positions = UnsafeRawPointer(
      pointers.block(of: points.lowerBound).positions + points.lowerBound)
    let latitudes = pointers.degrees.forVectors(
      isOneInterval: StepDegrees.interval(of: box.minY) == StepDegrees.interval(of: box.maxY))
    let found = cvectors_masked_sum(
      positions.assumingMemoryBound(to: UInt64.self), points.count, words,
      points.lowerBound & (PointIndex.maximumBlockCount - 1), latitudes, false)
    return (
      PointSum(found),
      points.lowerBound &+ (found.count == 0 ? 0 : Int(truncatingIfNeeded: found.first))
    )
  }
}
