import Threading

/// The edges of a shape, found by latitude.
///
/// Horizontal bands of equal height list the edges that touch them. There are as many bands as edges unless
/// long edges would fill them, so that the lists take memory in proportion to the edges.
struct ShapeEdges: Sendable {
  let all: [ShapeEdge]
  /// Their extent.
  let bounds: GeoBounds
  private let bandCount: Int
  private let scale: Double
  /// Where the edges of each band begin in `listed`, and the end of the last one's.
  private let starts: [Int32]
  private let listed: [Int32]

  /// The most bands, and the most entries of all lists for each edge.
  private static let (mostBands, entriesPerEdge) = (2048, 8)

  init(_ edges: [ShapeEdge]) {
    all = edges
    var bounds = GeoBounds.empty
    for edge in edges {
      bounds.formUnion(
        GeoBounds(west: edge.west, south: edge.south, east: edge.east, north: edge.north))
    }
    self.bounds = bounds
    let height = bounds.north - bounds.south
    var count = height > 0 ? min(edges.count, ShapeEdges.mostBands) : min(edges.count, 1)
    func band(_ y: Double, _ scale: Double) -> Int {
      min(Int((y - bounds.south) * scale), count - 1)
    }
    var scale = 0.0
    while true {
      // The division may overflow where an edge is short beyond sense.
      let exact = Double(count) / height
      scale = height > 0 && exact.isFinite ? exact : 0
      let entries = edges.reduce(0) { $0 + 1 + band($1.north, scale) - band($1.south, scale) }
      if count <= 1 || entries <= ShapeEdges.entriesPerEdge * edges.count { break }
      count /= 2
    }
    var starts = [Int32](repeating: 0, count: count + 1)
    for edge in edges {
      for number in band(edge.south, scale)...band(edge.north, scale) { starts[number + 1] += 1 }
    }
    for number in 0..<count { starts[number + 1] += starts[number] }
    var next = starts
    var listed = [Int32](repeating: 0, count: Int(starts[count]))
    for (index, edge) in edges.enumerated() {
      for number in band(edge.south, scale)...band(edge.north, scale) {
        listed[Int(next[number])] = Int32(index)
        next[number] += 1
      }
    }
    (bandCount, self.scale, self.starts, self.listed) = (count, scale, starts, listed)
  }

  /// The band that holds a latitude within the bounds. It grows with the latitude.
  @inline(__always)
  private func band(_ latitude: Double) -> Int {
    min(Int((latitude - bounds.south) * scale), bandCount - 1)
  }

  /// Calls `body` with all edges that reach a latitude, and some others, in order, until it returns false.
  @inline(__always)
  func forEach(near latitude: Double, _ body: (ShapeEdge) -> Bool) {
    guard latitude >= bounds.south, latitude <= bounds.north else { return }
    let band = band(latitude)
    Cancellation.poll(Int(starts[band + 1] - starts[band]) * 2)
    for index in Int(starts[band])..<Int(starts[band + 1]) {
      guard body(all[Int(listed[index])]) else { return }
    }
  }

  /// Returns whether any edge may touch a rectangle; false only if certainly none does.
  func mayTouch(_ box: GeoBounds) -> Bool {
    guard !all.isEmpty, box.west <= bounds.east, box.east >= bounds.west,
      box.south <= bounds.north, box.north >= bounds.south
    else { return false }
    let first = band(max(box.south, bounds.south))
    let last = band(min(box.north, bounds.north))
    Cancellation.poll(Int(starts[last + 1] - starts[first]) * 2)
    for index in Int(starts[first])..<Int(starts[last + 1])
    where all[Int(listed[index])].relation(to: box) == .touching {
      return true
    }
    return false
  }
}
