/// Traverses the joined tree in index order and collects the features of each set.
struct ComponentCollector: ~Copyable {
  private let join: LinkJoin
  private let limit: Int
  /// The number of the component of each root's set; −1 as long as it has none.
  private let numbers: UnsafeMutablePointer<Int32>
  private var components: [Components.Component] = []
  private var runs = GrowingArray<Components.Run>(capacity: 1024)
  /// The number of components, including those beyond the limit.
  private var count = 0

  static func components(
    of join: consuming LinkJoin, limit: Int
  ) throws(MethodLimit) -> Components {
    var collector = ComponentCollector(join, limit: limit)
    if collector.join.pointers.nodeCount > 0 { collector.collect(0, setOf: nil) }
    guard collector.count <= limit else { throw .annotations(collector.count) }
    return Components(collector.components, runs: collector.runs)
  }

  private init(_ join: consuming LinkJoin, limit: Int) {
    let ordinals = join.pointers.nodeCount > 0 ? join.pointers.points(of: 0).upperBound : 0
    self.join = join
    self.limit = limit
    numbers = .allocate(capacity: max(ordinals, 1))
    numbers.initialize(repeating: -1, count: max(ordinals, 1))
  }

  deinit { numbers.deallocate() }

  /// Collects the features of a node.
  ///
  /// - Parameter owner: The ordinal of a feature in the set that contains the whole node, if known.
  private mutating func collect(_ node: Int, setOf owner: Int?) {
    let points = join.pointers.points(of: node)
    let owner = owner ?? (join.states[node] == .whole ? join.representative(of: node) : nil)
    let hasKeptApart = !join.keptApart.isEmpty && join.keptApart.count(in: points) > 0
    if let owner, !hasKeptApart {
      let number = number(of: owner, first: points.lowerBound)
      guard number < limit else { return }
      components[number].sum.add(node: node, in: join.pointers)
      append(points, to: number)
    } else if join.pointers.node(node).isLeaf {
      for ordinal in points {
        let isKeptApart = hasKeptApart && join.isKeptApart(ordinal)
        let number = number(of: isKeptApart ? ordinal : owner ?? ordinal, first: ordinal)
        guard number < limit else { continue }
        components[number].sum.add(ordinal..<ordinal + 1, in: join.pointers)
        append(ordinal..<ordinal + 1, to: number)
      }
    } else {
      for child in join.pointers.node(node).children { collect(child, setOf: owner) }
    }
  }

  private mutating func number(of ordinal: Int, first: Int) -> Int {
    let root = join.sets.root(of: ordinal)
    if numbers[root] >= 0 { return Int(numbers[root]) }
    let number = count
    numbers[root] = Int32(number)
    count += 1
    if number < limit { components.append(Components.Component(first: first)) }
    return number
  }

  private mutating func append(_ ordinals: Range<Int>, to number: Int) {
    let (begin, end) = (UInt32(ordinals.lowerBound), UInt32(ordinals.upperBound))
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
