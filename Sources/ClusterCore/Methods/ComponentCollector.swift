/// Walks over the joined tree in index order and adds up what is in which set.
struct ComponentCollector: ~Copyable {
  private let join: LinkJoin
  private let limit: Int
  /// The number of the component whose set has a place as root; −1 before it has one.
  private let numbers: UnsafeMutablePointer<Int32>
  private var components: [Components.Component] = []
  private var runs = GrowingArray<Components.Run>(capacity: 1024)
  /// How many there are, also past the limit.
  private var count = 0

  static func components(
    of join: consuming LinkJoin, limit: Int
  ) throws(MethodLimit) -> Components {
    var collector = ComponentCollector(join, limit: limit)
    if collector.join.view.nodeCount > 0 { collector.collect(0, setOf: nil) }
    guard collector.count <= limit else { throw .annotations(collector.count) }
    return Components(collector.components, runs: collector.runs)
  }

  private init(_ join: consuming LinkJoin, limit: Int) {
    let places = join.view.nodeCount > 0 ? join.view.points(of: 0).upperBound : 0
    self.join = join
    self.limit = limit
    numbers = .allocate(capacity: max(places, 1))
    numbers.initialize(repeating: -1, count: max(places, 1))
  }

  deinit { numbers.deallocate() }

  /// - Parameter owner: a place of the set that the whole node is in.
  private mutating func collect(_ node: Int, setOf owner: Int?) {
    let points = join.view.points(of: node)
    let owner = owner ?? (join.states[node] == .whole ? join.representative(of: node) : nil)
    let hasKeptApart = !join.keptApart.isEmpty && join.keptApart.count(in: points) > 0
    if let owner, !hasKeptApart {
      let number = number(of: owner, first: points.lowerBound)
      guard number < limit else { return }
      components[number].sum.add(node: node, in: join.view)
      append(points, to: number)
    } else if join.view.nodes[node].isLeaf {
      for place in points {
        let isKeptApart = hasKeptApart && join.isKeptApart(place)
        let number = number(of: isKeptApart ? place : owner ?? place, first: place)
        guard number < limit else { continue }
        components[number].sum.add(place..<place + 1, in: join.view)
        append(place..<place + 1, to: number)
      }
    } else {
      for child in join.view.nodes[node].children { collect(child, setOf: owner) }
    }
  }

  private mutating func number(of place: Int, first: Int) -> Int {
    let root = join.sets.root(of: place)
    if numbers[root] >= 0 { return Int(numbers[root]) }
    let number = count
    numbers[root] = Int32(number)
    count += 1
    if number < limit { components.append(Components.Component(first: first)) }
    return number
  }

  private mutating func append(_ places: Range<Int>, to number: Int) {
    let (begin, end) = (UInt32(places.lowerBound), UInt32(places.upperBound))
    if runs.count > 0 {
      let last = runs.pointer + (runs.count - 1)
      if last.pointee.component == UInt32(number) && last.pointee.end == begin {
        last.pointee.end = end
        return
      }
    }
    runs.append(Components.Run(component: UInt32(number), begin: begin, end: end))
  }
}
