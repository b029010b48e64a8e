import ClusterCore
import Collections
import FeatureStore
import GeoFormats

/// The state of a watched viewport, with the events for its watchers when the collection changes.
///
/// It keeps a hash of each cell's encoded annotations instead of the annotations, so that cells that haven't
/// changed aren't sent again.
final class WatchedViewport: Watched {
  private struct Shown {
    var hash: Int
    /// The number of its features.
    var count: Int
  }

  /// The request as it was sent, and as the collection's temporal properties make it.
  private let asked: ViewportRequest
  private var viewport: ViewportRequest
  private var temporal: TemporalProperties?
  private let request: ClusterRequest
  private let overrides: [[UInt8]: Grouping.Override]
  /// The groups that have cells of their own size.
  private let ownSizes: [[UInt8]: Grouping.Override]
  /// The cells with annotations; nil before the first update.
  private var shown: [ViewportCell: Shown]?
  private var featureCount = 0
  /// The version of the collection that the watchers show.
  private(set) var version: Int64 = 0

  /// The most cells of an update that looks at single cells.
  private static let mostListed = 10_000

  /// Watches a viewport on a grid; nil for any other.
  init?(_ viewport: ViewportRequest) {
    guard case .grid(let grid, let overrides) = viewport.area else { return nil }
    (asked, self.viewport, self.overrides) = (viewport, viewport, overrides)
    ownSizes = overrides.filter { $0.value.cellSize != grid.cellSize }
    request = ClusterRequest(
      grid, settings: viewport.values.cell.settings,
      limit: viewport.values.limit ?? ClusterRequest.maximumLimit)
  }

  /// The approximate memory of its state, in bytes.
  var byteCount: Int { (shown?.count ?? 0) * 112 }

  func reset() {
    (viewport, temporal, shown) = (asked, nil, nil)
    (featureCount, version) = (0, 0)
  }

  /// Whether it has been updated at all.
  var isKnown: Bool { shown != nil }

  /// Moves on to a snapshot.
  ///
  /// - Parameters:
  ///   - invalidated: the coordinates that were changed since the version shown; nil if they aren't known.
  ///   - wantsView: whether a client needs the whole viewport.
  /// - Throws: ``ImpossibleRequest`` if the viewport can't be answered.
  func update(
    to snapshot: CollectionSnapshot, invalidated: [Coordinate]?, wantsView: Bool
  ) throws -> WatchedUpdate {
    defer { version = snapshot.info.version }
    let isSame = snapshot.info.temporal == temporal
    if !isSame || shown == nil {
      temporal = snapshot.info.temporal
      viewport = asked.resolved(by: temporal)
    }
    guard shown != nil, !wantsView, isSame, let selection = invalidated.flatMap(selection(holding:))
    else { return try updateAll(snapshot, wantsView: wantsView) }
    return selection.count == 0 ? WatchedUpdate() : try update(selection, of: snapshot)
  }

  /// The event for a client that shows an earlier version, with all cells that may have changed since; nil if
  /// the whole viewport is cheaper.
  ///
  /// - Parameter snapshot: the snapshot of the last update.
  func changes(invalidated: [Coordinate], in snapshot: CollectionSnapshot) throws -> [UInt8]? {
    guard let selection = selection(holding: invalidated) else { return nil }
    let encoder = try encoder(selection, of: snapshot)
    var event = event(snapshot)
    encoder.forEachEncodedCell(and: cells(selection)) { _, _, json in event.raw(json) }
    return finish(event, snapshot)
  }

  func missed(invalidated: [Coordinate], in snapshot: CollectionSnapshot) throws -> WatchedMissed {
    try changes(invalidated: invalidated, in: snapshot).map { .event($0) } ?? .everything
  }

  // MARK: Cells

  /// The cells that hold some coordinates; nil if it is quicker to look at the whole viewport, or if a write may
  /// change cells elsewhere.
  private func selection(holding coordinates: [Coordinate]) -> CellSelection? {
    guard !viewport.needs.contains(.others),
      let selection = CellSelection(request, overrides: overrides, holding: coordinates),
      selection.count <= max(8, (shown?.count ?? 0) / 4)
    else { return nil }
    // The group of the features without a value doubles the cells of its name.
    let cells = ownSizes.values.reduce(selection.own.count) {
      $0 + 2 * (selection.others[$1.cellSize]?.count ?? 0)
    }
    return cells <= WatchedViewport.mostListed ? selection : nil
  }

  /// The selected cells that may hold annotations, in order: those of the viewport's own grid, and those of
  /// groups that have a grid of their own.
  private func cells(_ selection: CellSelection) -> [ViewportCell] {
    var cells = selection.own.positions.map { ViewportCell(owner: .viewport, position: $0) }
    for (key, override) in ownSizes {
      let positions = selection.others[override.cellSize]?.positions ?? []
      cells += positions.map { ViewportCell(owner: .group(key), position: $0) }
      // The group of the features without a value has the same name.
      guard key == KeyColumn.nullKey else { continue }
      cells += positions.map { ViewportCell(owner: .group(nil), position: $0) }
    }
    return cells.sorted()
  }

  /// The encoder of some cells as they are now.
  private func encoder(
    _ selection: CellSelection, of snapshot: CollectionSnapshot
  ) throws -> CellEncoder {
    try CellEncoder(
      ClusterAnswer(viewport, .selection(selection), of: snapshot),
      cellSize: request.cellSize)
  }

  // MARK: Updates

  private func updateAll(_ snapshot: CollectionSnapshot, wantsView: Bool) throws -> WatchedUpdate {
    let answer = try ClusterAnswer(viewport, of: snapshot)
    let before = shown ?? [:]
    let hadShown = shown != nil
    let countBefore = featureCount
    featureCount = answer.result.featureCount
    var (changes, changed) = (event(snapshot), 0)
    var whole = JSONWriter(reserving: 1024 + answer.result.annotations.count * 256)
    var now: [ViewportCell: Shown] = [:]
    let encoder = try CellEncoder(answer, cellSize: request.cellSize)
    whole.object { whole in
      answer.writeHead(into: &whole)
      whole.array("cells") { whole in
        encoder.forEachEncodedCell(and: before.keys.sorted()) { cell, annotations, json in
          let hash = WatchedViewport.hash(json)
          if hadShown, before[cell]?.hash != hash {
            changes.raw(json)
            changed += 1
          }
          guard !annotations.isEmpty else { return }
          now[cell] = Shown(hash: hash, count: annotations.featureCount)
          if wantsView { whole.raw(json) }
        }
      }
      answer.writeGrid(into: &whole)
    }
    shown = now
    let isNew = changed > 0 || featureCount != countBefore
    return WatchedUpdate(
      changes: hadShown && isNew ? finish(changes, snapshot) : nil,
      view: wantsView ? EventText.event("view", version: snapshot.info.version, whole) : nil)
  }

  private func update(
    _ selection: CellSelection, of snapshot: CollectionSnapshot
  ) throws -> WatchedUpdate {
    let countBefore = featureCount
    let encoder = try encoder(selection, of: snapshot)
    var (encoded, changed) = (JSONWriter(), 0)
    let others = cells(selection).filter { shown?[$0] != nil }
    encoder.forEachEncodedCell(and: others) { cell, annotations, json in
      let hash = WatchedViewport.hash(json)
      let before = shown?[cell]
      let count = annotations.featureCount
      // With `fields`, a cell may look the same and yet hold more features or fewer.
      guard before?.hash != hash || before?.count != count else { return }
      if before?.hash != hash {
        encoded.raw(json)
        changed += 1
      }
      shown?[cell] = annotations.isEmpty ? nil : Shown(hash: hash, count: count)
      if cell.owner == .viewport { featureCount += count - (before?.count ?? 0) }
    }
    if !ownSizes.isEmpty {
      // The viewport's own cells don't add up to the number of its features.
      let filter = try viewport.values.cell.properties.filter.map {
        try snapshot.collection.filter($0)
      }
      let scope = FeatureScope(snapshot.collection, passing: filter, near: request.cells)
      featureCount = scope.featureCount(of: request)
    }
    guard changed > 0 || featureCount != countBefore else { return WatchedUpdate() }
    var event = event(snapshot)
    encoded.withBytes { if !$0.isEmpty { event.raw($0) } }
    return WatchedUpdate(changes: finish(event, snapshot))
  }

  // MARK: Encoding

  private func event(_ snapshot: CollectionSnapshot) -> JSONWriter {
    var json = JSONWriter(reserving: 4096)
    json.beginObject()
    json.member("version", snapshot.info.version)
    json.member("featureCount", featureCount)
    json.key("cells")
    json.beginArray()
    return json
  }

  private func finish(_ event: consuming JSONWriter, _ snapshot: CollectionSnapshot) -> [UInt8] {
    var json = event
    json.endArray()
    json.endObject()
    return EventText.event("cells", version: snapshot.info.version, json)
  }

  private static func hash(_ json: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: json)
    return hasher.finalize()
  }
}

extension CellEncoder {
  /// Calls `body` with the cells of ``forEachCell(and:_:)`` and their JSON, an element of an event's `cells`.
  fileprivate func forEachEncodedCell(
    and others: [ViewportCell],
    _ body: (ViewportCell, ArraySlice<Annotation>, _ json: UnsafeRawBufferPointer) -> Void
  ) {
    var json = JSONWriter(reserving: 1 << 14)
    forEachCell(and: others) { cell, annotations in
      json.removeAll()
      json.object { json in
        json.member("column", cell.position.column)
        json.member("row", cell.position.row)
        if case .group(let key) = cell.owner {
          json.key("group")
          if let key { key.withUnsafeBytes { json.stringUTF8($0) } } else { json.null() }
        }
        json.array("annotations") { write(annotations, into: &$0) }
      }
      json.withBytes { body(cell, annotations, $0) }
    }
  }
}
