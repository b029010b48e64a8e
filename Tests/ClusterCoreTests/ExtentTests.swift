import TestSupport
import Testing

@testable import ClusterCore

/// The extent of all features against sorting their longitudes.
@Suite(.timeLimit(.minutes(5))) struct ExtentTests {
  private func features(_ longitudes: [Double]) -> [TwinFeature] {
    longitudes.enumerated().map { number, longitude in
      // Few latitudes, so that nodes of the index lie across gaps.
      TwinFeature(number, longitude, Double(number % 17) * 10 - 80)
    }
  }

  private func extent(_ longitudes: [Double], blockCapacity: Int = 9) throws -> [Double] {
    let index = try FeatureIndex.of(features(longitudes), blockCapacity: blockCapacity)
    let extent = try #require(index.extent)
    #expect(index.extent == extent)
    #expect(extent.south == -80 && extent.north == index.bounds?.north)
    return [extent.west, extent.east]
  }

  @Test func `the shortest span of longitudes`() throws {
    #expect(try extent([179.9, -179.9]) == [179.9, -179.9])
    #expect(try extent([177.1, -178.3, 179, 178, -179.999]) == [177.1, -178.3])
    #expect(try extent([-170, 10, 0]) == [-170, 10])
    #expect(try extent([170, -10, 0]) == [-10, 170])
    #expect(try extent([-1, 1]) == [-1, 1])
    // As wide one way as the other: not across 180°.
    #expect(try extent([-90, 90]) == [-90, 90])
    #expect(try extent([0, 120, -120]) == [-120, 120])
    #expect(try extent([-90, 90.001]) == [90.001, -90])
    #expect(try extent([5]) == [5, 5])
    // What ends at 180° doesn't cross it.
    #expect(try extent([180, 179]) == [179, 180])
    #expect(try extent([-180, 170]) == [170, -180])
    #expect(try extent([180, -180, 170]) == [170, -180])
    #expect(try extent([-180, -170]) == [-180, -170])
    #expect(try extent([180, -170]) == [-180, -170])
    #expect(try extent([180, 179, -179]) == [179, -179])
    #expect(try extent([180, -180]) == [-180, -180])
    #expect(FeatureIndex().extent == nil)
  }

  @Test func `gaps beside 180° of about the same width`() throws {
    let step = 360 / 0x1p32
    for width in [0.2, 1, 77.7] {
      for difference in [-5, 5] as [Double] {
        // The gap across 180° is `width` wide, and one more is narrower or wider.
        let inner = width + difference * step
        let filling = stride(from: 3 + inner, to: 180 - width / 2, by: width / 3)
        let others = stride(from: -180 + width / 2, through: 3, by: width / 3)
        let longitudes = Array(others) + Array(filling) + [3, 3 + inner, 180 - width / 2]
        let found = try extent(longitudes, blockCapacity: 50)
        #expect(found == (difference > 0 ? [3 + inner, 3] : [-180 + width / 2, 180 - width / 2]))
      }
    }
  }

  /// The edges of the shortest span, by brute force: its width, and that of what it leaves out.
  private func shortest(_ longitudes: [Double]) -> (span: Double, gap: Double) {
    let sorted = longitudes.map { $0 == 180 ? -180 : $0 }.sorted()
    let first = sorted.first ?? 0
    let gaps = zip(sorted, sorted.dropFirst() + [first + 360]).map { $1 - $0 }
    let gap = gaps.max() ?? 360
    return (360 - gap, gap)
  }

  private func longitudes(_ generator: inout SeededGenerator) -> [Double] {
    let count = generator.pick([1, 2, 3, 10, 100, 1000, 9000])
    let grid = generator.pick([0.01, 0.1, 1, 15])
    let islands = (0..<generator.int(1...6)).map { _ in
      (centre: generator.double(-180...180), width: generator.pick([0, 1e-6, 0.3, 20]))
    }
    let kind = generator.int(0...3)
    return (0..<count).map { _ in
      switch kind {
      case 0: return generator.double(-180...180)
      case 1: return (generator.double(-180...180) / grid).rounded() * grid
      case 2:
        let island = generator.pick(islands)
        return Geodesy.normalisedLongitude(island.centre + generator.double(-1...1) * island.width)
      default:
        return generator.pick([
          -180, 180, (180.0).nextDown, -179.9, 179.9, 0, 1e-9, -90, 90, generator.double(-5...5),
        ])
      }
    }
  }

  @Test(arguments: Seeds.each(1...6))
  func `random features`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var (crossing, wide) = (0, 0)
    for round in 0..<60 {
      let longitudes = longitudes(&generator)
      let capacity = generator.pick([4, 50, 1024])
      let index = try FeatureIndex.of(features(longitudes), blockCapacity: capacity)
      let (extent, bounds) = (try #require(index.extent), try #require(index.bounds))
      let comment: Comment = "seed \(seed), round \(round): \(extent) of \(longitudes.prefix(10))"
      #expect(extent.south == bounds.south && extent.north == bounds.north, comment)
      let isCrossing = extent.west > extent.east
      for longitude in longitudes.map({ $0 == 180 && extent.east != 180 ? -180 : $0 }) {
        let isIn =
          isCrossing
          ? longitude >= extent.west || longitude <= extent.east
          : longitude >= extent.west && longitude <= extent.east
        #expect(isIn, comment)
      }
      let span = extent.east - extent.west + (isCrossing ? 360 : 0)
      let wanted = shortest(longitudes)
      // Narrow gaps may be left alone where that across 180° is narrow, too.
      let slack = wanted.gap > 0.18 ? 4e-7 : 0.18
      #expect(span >= wanted.span - 1e-9 && span <= wanted.span + slack, comment)
      // What is found depends on the features alone.
      let other = try FeatureIndex.of(features(longitudes), blockCapacity: 7)
      #expect(other.extent == extent, comment)
      if isCrossing { crossing += 1 }
      if wanted.gap > 0.18, bounds.east - bounds.west > 180 { wide += 1 }
    }
    #expect(crossing > 5 && wide > 20)
  }
}
