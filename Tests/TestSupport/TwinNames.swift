import ClusterCore

/// What ids mean, learnt from answers: the same cell, location or feature must always have the same
/// id, and no other may have it.
public struct TwinNames: Sendable {
  /// What an id names.
  public struct Meaning: Hashable, Sendable {
    /// The cell, location or feature.
    let kind: TwinAnnotation.Kind
    /// Of a cell or location, its group.
    var group: TwinGroup?
    /// Of a cell or location, the cells of its grid.
    var cellsPerWorld = 0
    /// Of a cell or location, its grid's cell size.
    var cellSize = 0.0
    /// Of a cell or location, where it is.
    var cell: TwinCell?

    /// What the id of an annotation names.
    public init(_ annotation: TwinAnnotation) {
      kind = annotation.kind
      if case .feature = annotation.kind { return }
      group = annotation.group
      cellsPerWorld = annotation.grid.cellsPerWorld
      cellSize = annotation.grid.cellSize
      cell = annotation.cell
    }

    /// Whether a feature is there today.
    func holds(_ one: Twin.Placed) -> Bool {
      if case .feature(let id) = kind { return one.feature.id == id }
      if case .location(let location) = kind, one.location != location { return false }
      let size = Twin.worldSize / Double(cellsPerWorld)
      let column = min(cellsPerWorld - 1, Int(one.x / size))
      let row = min(cellsPerWorld - 1, Int(one.y / size))
      guard cell == TwinCell(row: row, column: column) else { return false }
      return group.map { $0 == TwinGroup($0.property, of: one.value($0.property)) } ?? true
    }
  }

  private var meanings: [String: Meaning] = [:]
  private var ids: [Meaning: String] = [:]

  /// Knows nothing.
  public init() {}

  /// Notes the ids of an answer that agrees with the twin's, and says what is wrong with them.
  public mutating func learn(_ answer: TestJSON, _ wanted: TwinAnswer) -> [String] {
    var found: [String] = []
    for (got, want) in zip(answer["annotations"]?.array ?? [], wanted.annotations) {
      let meaning = Meaning(want)
      guard let id = got["id"]?.string, (1...200).contains(id.utf8.count),
        TwinRequest.percentEncoded(id) == id
      else {
        found.append("\(got["id"]?.text ?? "absent") is no id")
        continue
      }
      if meanings[id, default: meaning] != meaning { found.append("\(id) has two meanings") }
      if ids[meaning, default: id] != id { found.append("\(id) and \(ids[meaning] ?? "") are one") }
      meanings[id] = meaning
      ids[meaning] = id
    }
    return found
  }

  /// Of those that a twin knows, the features that an id holds; nothing if it means nothing.
  public func features(of id: String, in twin: Twin) -> Set<FeatureID> {
    guard let meaning = meanings[id] else { return [] }
    return Set(twin.placed.lazy.filter(meaning.holds).map(\.feature.id))
  }
}
