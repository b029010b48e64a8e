import ClusterCore

/// Which annotations on screen become which of a new answer, section 6.
public struct TwinReuse: Sendable {
  /// For each new annotation, the index in `previous` of the one it takes.
  public let taken: [Int?]
  /// The annotations on screen.
  public let previous: [TwinPrevious]

  /// Decides for an answer whose annotations have these ids. `twin` holds the features that pass
  /// the request's filter today.
  public init(
    _ answer: TwinAnswer, ids: [String], previous: [TwinPrevious], names: TwinNames, over twin: Twin
  ) {
    var unused = previous.map { _ in true }
    var taken = answer.annotations.map { _ -> Int? in nil }
    for (index, id) in ids.enumerated() {
      guard let own = previous.firstIndex(where: { $0.id == id }) else { continue }
      (taken[index], unused[own]) = (own, false)
    }
    let held = previous.map { names.features(of: $0.id, in: twin) }
    for (index, one) in answer.annotations.enumerated() where taken[index] == nil {
      let features = Set(one.features.map(\.id))
      var best = (shared: 0, at: nil as Int?)
      for at in previous.indices where unused[at] {
        let shared = held[at].intersection(features).count
        guard shared > best.shared, one.mayTake(previous[at].coordinate, answer.method) else {
          continue
        }
        best = (shared, at)
      }
      taken[index] = best.at
      if let at = best.at { unused[at] = false }
    }
    (self.taken, self.previous) = (taken, previous)
  }

  /// The answer with its clusters where the old ones were.
  public func applied(to answer: TwinAnswer) -> TwinAnswer {
    var out = answer
    for (index, at) in taken.enumerated() {
      guard let at, out.annotations[index].isWholeCell,
        out.annotations[index].isInCell(previous[at].coordinate)
      else { continue }
      out.annotations[index].coordinate = previous[at].coordinate
      out.annotations[index].isCoordinateExact = true
    }
    return out
  }

  /// How a service's answer differs in what it reuses and changes.
  public func differences(from answer: TestJSON) -> [String] {
    var found: [String] = []
    let annotations = answer["annotations"]?.array ?? []
    let ids = annotations.map { $0["id"]?.string ?? "" }
    for (index, got) in annotations.enumerated() {
      let want = taken[index].map { TestJSON.string(previous[$0].id) }
      if got["reuses"] != want {
        found.append(
          "annotations/\(index) reuses \(got["reuses"]?.text ?? "nothing"), not \(want?.text ?? "nothing")"
        )
      }
    }
    func same(_ name: String, _ want: [TestJSON]) {
      let got = answer["changes"]?[name]
      if got != .array(want) {
        found.append("\(name) is \(got?.text ?? "absent"), not \(TestJSON.array(want).text)")
      }
    }
    let used = Set(taken.compactMap(\.self))
    same("removed", previous.indices.filter { !used.contains($0) }.map { .string(previous[$0].id) })
    let pairs = zip(taken, ids)
    same(
      "kept",
      pairs.compactMap { at, id in
        at.map { [.string(previous[$0].id), .string(id)] }
      })
    same("added", pairs.compactMap { at, id in at == nil ? .string(id) : nil })
    return found
  }
}

extension TwinAnnotation {
  /// Whether a coordinate is in its cell.
  func isInCell(_ coordinate: Coordinate) -> Bool {
    let (x, y) = Twin.project(coordinate)
    return grid.cell(x: x, y: y) == cell
  }

  /// Whether it may take over an old annotation that stands there, as far as coordinates tell.
  func mayTake(_ old: Coordinate, _ method: TwinRequest.Method) -> Bool {
    if isWholeCell { return isInCell(old) }
    let turn = (old.longitude - coordinate.longitude).magnitude
    let isNear =
      (old.latitude - coordinate.latitude).magnitude <= 1e-7
      && min(turn, (turn - 360).magnitude) <= 1e-7
    return isNear && (method != .grid || isInCell(old))
  }
}
