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
    let view = index.points.pointers
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

extension Annotation {
  /// Moves a cluster of a whole cell to its weighted mean.
  mutating func weigh(by weights: PropertyColumn, _ index: FeatureIndex, _ layer: ClusterLayer) {
    guard isClusterOfCell else { return }
    var mean = WeightedMean(weights, index)
    layer.runs(self, nil) {
      mean.add($0)
      return true
    }
    coordinate = mean.coordinate(in: bounds) ?? coordinate
  }
}
