import Threading

/// The mean coordinate of features weighted by a property; missing and negative numbers count as 0.
struct WeightedMean {
  private let weights: PropertyColumn
  private let index: FeatureIndex
  /// The factor of weights: a power of two, which rounds nothing.
  private let scale: Double
  /// The factors that keep sums of the largest weights finite, and all digits of the smallest.
  private static let (down, up) = (0x1p-64, 0x1p600)
  private var total = PreciseSum()
  private var latitudes = PreciseSum()
  private var longitudes = PreciseSum()

  private init(_ weights: PropertyColumn, _ index: FeatureIndex, scale: Double) {
    self.weights = weights
    self.index = index
    self.scale = scale
  }

  /// The mean of the features of some runs.
  ///
  /// - Parameter runs: calls its argument with each run.
  static func of(
    _ weights: PropertyColumn, _ index: FeatureIndex, _ runs: ((Range<Int>) -> Bool) -> Void
  ) -> WeightedMean {
    func sum(_ scale: Double) -> WeightedMean {
      var mean = WeightedMean(weights, index, scale: scale)
      runs {
        mean.add($0)
        return !Cancellation.poll($0.count * 10)
      }
      return mean
    }
    let mean = sum(down)
    return mean.total.value < 0x1p-900 ? sum(up) : mean
  }

  /// Adds the features of a run.
  private mutating func add(_ ordinals: Range<Int>) {
    guard let doubles = weights.doubles[around: ordinals.lowerBound] else { return }
    let pointers = index.points.pointers
    let positions = pointers.block(of: ordinals.lowerBound).positions
    // Local copies stay in registers in this hot loop. A weight of 0 changes no sum.
    var (total, latitudes, longitudes) = (total, latitudes, longitudes)
    for ordinal in ordinals {
      let weight = PropertyColumn.weight(doubles[ordinal]) * scale
      let position = positions[ordinal]
      let latitude = pointers.degrees.latitude(position.y, exactly: pointers.coordinate(ordinal))
      total.add(weight)
      latitudes.add(weight * (Double(latitude) / FixedDegrees.perDegree))
      longitudes.add(weight * StepDegrees.longitude(position.x))
    }
    (self.total, self.latitudes, self.longitudes) = (total, latitudes, longitudes)
    withExtendedLifetime((weights, index)) {}
  }

  /// The mean, rounded to seven decimals and within the features' bounds; nil if all weights are 0.
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

extension Annotation {
  /// Moves a cluster of a whole cell to its weighted mean.
  mutating func weigh(by weights: PropertyColumn, _ index: FeatureIndex, _ layer: ClusterLayer) {
    guard isClusterOfCell else { return }
    let mean = WeightedMean.of(weights, index) { layer.runs(self, nil, $0) }
    coordinate = mean.coordinate(in: bounds) ?? coordinate
  }
}
