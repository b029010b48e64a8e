import ClusterCore

extension IndexBenchmark {
  /// Measures viewports as wide as a city around random points: beside indexes of fewer points, in which a
  /// city also has fewer, and beside an index of the same cities without the rest of the world.
  func cityViews() throws {
    var synthetic = Synthetic(seed: 2)
    let centres = (0..<200).map { _ in points[Int(synthetic.uniform() * Double(points.count))] }
    let views = try CityViews(self, centres)
    row(
      "city view (0.4°, \(views.annotations) annotations), median", duration(views.middle),
      "99 %: \(duration(views.most)); \(views.features) features each")
    for smaller in smaller {
      let past = try CityViews(smaller, centres)
      let single = views.middle / Double(views.annotations)
      row(
        "  of \(smaller.points.count), \(past.annotations) annotations", duration(past.middle),
        "\(rounded(views.middle / past.middle)) times; for each annotation "
          + "\(rounded(single * Double(past.annotations) / past.middle)) times")
    }
    let strip = strip
    let inside = points.lazy.filter {
      ($0.longitude - strip.lowerBound).magnitude > 1
        && ($0.longitude - strip.upperBound).magnitude > 1
        && strip.contains($0.longitude)
    }
    let found = Array(inside.prefix(20_000))
    let near = (0..<200).map { found[$0 * 97 % found.count] }
    let alone = try IndexBenchmark(points.filter { strip.contains($0.longitude) }, prints: false)
    let (whole, part) = (try CityViews(self, near), try CityViews(alone, near))
    precondition(
      whole.annotations == part.annotations && whole.features == part.features,
      "a city differs")
    row(
      "city view, \(whole.annotations) annotations", duration(whole.middle),
      "the same in a strip of \(alone.points.count) alone "
        + "\(duration(part.middle)): \(rounded(whole.middle / part.middle)) times")
  }

  /// The widest strip from pole to pole that holds about 1 % of all points.
  private var strip: ClosedRange<Double> {
    let longitudes = points.prefix(100_000).map(\.longitude).sorted()
    let share = longitudes.count / 100
    let strips = stride(from: 0, to: longitudes.count - share, by: share).map {
      longitudes[$0]...longitudes[$0 + share]
    }
    return strips.max { $0.upperBound - $0.lowerBound < $1.upperBound - $1.lowerBound } ?? 0...1
  }

  /// The times of viewports of cities, and the mean numbers of what they show.
  private struct CityViews {
    private(set) var annotations = 0
    private(set) var features = 0
    private var times: [Double] = []

    var middle: Double { times.percentile(50) }
    var most: Double { times.percentile(99) }

    init(_ benchmark: IndexBenchmark, _ centres: [Coordinate]) throws {
      for centre in centres {
        let viewport = try Views.city(centre)
        var result: ClusterResult?
        times.append(try median(5) { result = try benchmark.clusters(viewport) })
        features += result?.featureCount ?? 0
        annotations += result?.annotations.count ?? 0
      }
      times.sort()
      features /= centres.count
      annotations /= centres.count
    }
  }
}
