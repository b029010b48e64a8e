/// The result of the distance method.
struct Components: Sendable {
  struct Component: Sendable {
    /// The ordinal of its first feature.
    var first: Int
    var sum = PointSum()
    /// The range of its runs in ``Components/runs``.
    var ranges = 0..<0
  }

  /// A run of consecutive ordinals in one component.
  struct Run: BitwiseCopyable {
    var component: UInt32
    var begin: UInt32
    var end: UInt32

    var ordinals: Range<Int> { Int(begin)..<Int(end) }
  }

  /// The components, in index order of their first features.
  private(set) var all: [Component]
  private let runs: FixedArray<Run>

  /// Creates the result from runs in index order, which are sorted by component here.
  init(_ components: [Component], runs: GrowingArray<Run>) {
    var all = components
    let sorted = WritableArray<Run>(count: runs.count)
    var next = [Int](repeating: 0, count: all.count)
    for index in 0..<runs.count { next[Int(runs.pointer[index].component)] += 1 }
    var total = 0
    for index in all.indices {
      all[index].ranges = total..<total + next[index]
      (next[index], total) = (total, total + next[index])
    }
    for index in 0..<runs.count {
      let run = runs.pointer[index]
      sorted.pointer[next[Int(run.component)]] = run
      next[Int(run.component)] += 1
    }
    (self.all, self.runs) = (all, sorted.fixed)
  }

  /// The ordinals of a component, as ascending ranges that don't touch.
  func ranges(of component: Component) -> some Sequence<Range<Int>> {
    let runs = self.runs
    return component.ranges.lazy.map { runs.pointer[$0].ordinals }
  }

  /// The bounds and the mean of a component's coordinates.
  func extent(of component: Component, in points: PointIndex) -> CircularExtent {
    CircularExtent(component.sum, of: points, ordinals: ranges(of: component).lazy.joined())
  }
}
