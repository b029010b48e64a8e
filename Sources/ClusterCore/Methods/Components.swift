/// Sets of features, in index order of their first ones.
struct Components: Sendable {
  struct Component: Sendable {
    /// The place of its first feature.
    var first: Int
    var sum = PointSum()
    /// Where its ranges of places are.
    fileprivate(set) var ranges: Range<Int> = 0..<0

    init(first: Int) { self.first = first }
  }

  /// Places that follow each other in one component.
  struct Run: BitwiseCopyable {
    var component: UInt32
    var begin: UInt32
    var end: UInt32

    var places: Range<Int> { Int(begin)..<Int(end) }
  }

  private(set) var all: [Component]
  private let runs: FixedArray<Run>

  /// Sorts runs, which are in index order, by component.
  init(_ components: [Component], runs: GrowingArray<Run>) {
    var all = components
    let sorted = FixedArray<Run>(uninitialized: runs.count)
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
    (self.all, self.runs) = (all, sorted)
  }

  /// The places of a component: ascending ranges that don't touch.
  func ranges(of component: Component) -> some Sequence<Range<Int>> {
    let runs = self.runs
    return component.ranges.lazy.map { runs.pointer[$0].places }
  }

  /// The bounds and the mean of a component's coordinates.
  func extent(of component: Component, in points: PointIndex) -> CircularExtent {
    CircularExtent(component.sum, of: points, places: ranges(of: component).lazy.joined())
  }
}
