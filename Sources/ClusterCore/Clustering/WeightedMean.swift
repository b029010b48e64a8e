/// The mean coordinate of features that have weights: a property's numbers, of which missing and
/// negative ones count as 0.
struct WeightedMean {
  private let weights: PropertyColumn
  private let index: FeatureIndex
  /// Keeps sums of the largest weights there are finite; a power of two, so that nothing is rounded.
  private let scale: Double
  private var total = PreciseSum()
  private var latitudes = PreciseSum()
  private var longitudes = PreciseSum()

  init(_ weights: PropertyColumn, _ index: FeatureIndex) {
    self.weights = weights
    self.index = index
    scale = 0x1p-64
  }

  /// Adds the features of a run.
  mutating func add(_ places: Range<Int>) {
    guard let doubles = weights.doubles(around: places.lowerBound) else { return }
    let view = index.points.view
    let positions = view.block(of: places.lowerBound).positions
    // In registers: this is a hot loop. What weighs nothing changes no sum.
    var (total, latitudes, longitudes) = (total, latitudes, longitudes)
    for place in places {
      let weight = PropertyColumn.weight(doubles[place]) * scale
      let position = positions[place]
      let latitude = view.degrees.latitude(position.y, exactly: view.coordinates[place])
      total.add(weight)
      latitudes.add(weight * (Double(latitude) / FixedDegrees.perDegree))
      longitudes.add(weight * StepDegrees.longitude(position.x))
    }
    (self.total, self.latitudes, self.longitudes) = (total, latitudes, longitudes)
    withExtendedLifetime((weights, index)) {}
  }

  /// The mean, with seven decimals and within the features' bounds; nil where nothing weighs anything.
  func coordinate(in bounds: GeoBounds) -> Coordinate? {
    guard total.value > 0 else { return nil }
    func mean(_ sum: PreciseSum, _ low: Double, _ high: Double) -> Double {
      PointSum.mean(sum.value / total.value, low, high)
    }
    return Coordinate(
      latitude: mean(latitudes, bounds.south, bounds.north),
      longitude: mean(longitudes, bounds.west, bounds.east))
  }
}

extension PropertyColumn {
  /// What a number counts as a weight.
  @inline(__always)
  static func weight(_ number: Double) -> Double { number > 0 ? number : 0 }
}

/// A sum of doubles as if it were computed with three times their precision, and rounded once: the
/// same in whatever order the terms come, but for terms that cancel each other out over more than 150
/// bits. (The cascaded compensated summation of Ogita, Rump and Oishi, "Accurate sum and dot product",
/// 2005, algorithm SumK with K = 3.)
struct PreciseSum: BitwiseCopyable {
  private var high = 0.0
  private var middle = 0.0
  private var low = 0.0

  @inline(__always)
  mutating func add(_ term: Double) {
    let (sum, error) = PreciseSum.twoSum(high, term)
    high = sum
    let (rest, rounding) = PreciseSum.twoSum(middle, error)
    middle = rest
    low += rounding
  }

  /// A sum, and exactly what it is short of.
  @inline(__always)
  private static func twoSum(_ a: Double, _ b: Double) -> (sum: Double, error: Double) {
    let sum = a + b
    let part = sum - a
    return (sum, (a - (sum - part)) + (b - part))
  }

  /// The sum; infinite where it is beyond the doubles.
  var value: Double { high.isFinite ? high + (middle + low) : high }
}
