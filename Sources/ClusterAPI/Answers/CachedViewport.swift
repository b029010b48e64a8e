import ClusterCore
import Collections
import GeoFormats
import Threading

/// A viewport on a grid of the cell cache, in which all, some or none of its cells are cached.
final class CachedViewport: Sendable {
  private let request: ViewportRequest
  private let snapshot: CollectionSnapshot
  private let budget: CacheBudget
  private let grid: CachedGrid
  private let area: CellArea
  private let pages: [CellPage]
  /// The slots of the pages, for loops that would otherwise count references for each row of a page.
  private let slots: [Slots]

  /// The slots of a page. `@unchecked Sendable`: they are atomic.
  private struct Slots: @unchecked Sendable { let first: UnsafeMutablePointer<CellPage.Slot> }

  /// The sums of the cached cells, and the extent of the missing ones.
  private struct Sum {
    var bytes = 0
    var features = 0
    var annotations = 0
    // The number of cells that aren't cached, and their extent, counted from the viewport's first.
    var missing = 0
    var rows = (first: Int.max, last: Int.min)
    var offsets = (first: Int.max, last: Int.min)
  }

  /// A viewport of a collection; nil if the cells of such a request aren't cached.
  init?(_ request: ViewportRequest, _ snapshot: CollectionSnapshot) {
    guard case .grid(let viewport, _) = request.area, let area = CellArea(viewport.cells),
      let key = CellKey(request), let cache = snapshot.answers?.cells, let grid = cache.grid(key),
      let pages = grid.pages(of: area, at: snapshot.info.version)
    else { return nil }
    (self.request, self.area, self.grid) = (request, area, grid)
    (self.snapshot, budget, self.pages) = (snapshot, cache.budget, pages)
    slots = pages.map { Slots(first: $0.slots) }
  }

  /// The result of a look into the cache.
  enum Found {
    /// The encoded answer.
    case body([UInt8])
    /// Nothing, but that the answer is in the cache apart from cells in some part of the viewport.
    case missing(GridRange)
  }

  /// The answer, as far as it is cached.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are more annotations than the request's limit.
  func found() throws -> Found {
    let sum = self.sum
    guard sum.missing == 0 else { return .missing(part(sum)) }
    guard let notes = notes({ $0.known(in: snapshot.collection) }),
      let body = try answer(sum, clustered: 0, notes)
    else { return .missing(area.cells) }
    return .body(body)
  }

  /// The encoded answer, for which missing cells are clustered; nil if it is too long to be kept.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are more annotations than the request's limit.
  func body() throws -> [UInt8]? {
    var sum = self.sum
    let missing = sum.missing
    if missing > 0 {
      let isDone = try cluster(sum)
      budget.count(made: missing)
      guard isDone, !Cancellation.isOver else { return nil }
      sum = self.sum
    }
    let notes = notes { $0.sentences(in: snapshot.collection) }
    return try answer(sum, clustered: missing, notes ?? [])
  }

  /// The sentences about the request's properties, from the cache or as they are found; nil if they aren't.
  private func notes(_ find: (PropertyNotes) -> [String]?) -> [String]? {
    let version = snapshot.info.version
    if let known = grid.notes(at: version) { return known }
    guard let found = find(PropertyNotes(request)) else { return nil }
    // A cancelled result isn't kept.
    if !Cancellation.isOver { grid.keep(found, at: version) }
    return found
  }

  /// The answer from the cache; nil if it is too long, or if cells are missing after all.
  private func answer(_ sum: Sum, clustered missing: Int, _ notes: [String]) throws -> [UInt8]? {
    guard sum.missing == 0, sum.annotations < EncodedCell.tooLong.annotations else { return nil }
    if sum.annotations > request.values.limit ?? ClusterRequest.maximumLimit {
      throw try wholeRequest.tooMany(sum.annotations)
    }
    if request.needs.contains(.values) { try Statistics.check(values: sum.features) }
    budget.count(cached: Int(area.cells.count) - missing)
    return body(sum, notes)
  }

  /// The request to cluster all cells, whether they are cached or not.
  private var wholeRequest: ClusterRequest {
    get throws {
      let properties = try BoundProperties(
        request.values.cell.neededProperties, in: snapshot.collection)
      guard case .grid(let whole) = BoundViewport(request, properties) else {
        preconditionFailure("only a viewport on a grid is cached")
      }
      return whole
    }
  }

  private var sum: Sum {
    var sum = Sum()
    area.forEachRun(in: slots) { slots, columns, row in
      let slots = slots.first + CellPage.number(column: columns.lowerBound, row: row)
      for number in 0..<columns.count {
        if let address = slots[number].load(ordering: .acquiring) {
          let cell = EncodedCell(at: address)
          sum.bytes &+= cell.json.count &+ 1
          sum.features &+= cell.features
          sum.annotations &+= cell.annotations
        } else {
          sum.missing += 1
          let offset = area.cells.offset(ofColumn: columns.lowerBound + number)
          sum.rows = (min(sum.rows.first, row), max(sum.rows.last, row))
          sum.offsets = (min(sum.offsets.first, offset), max(sum.offsets.last, offset))
        }
      }
    }
    return sum
  }

  /// Encodes the answer from cells that are all cached.
  private func body(_ sum: Sum, _ notes: [String]) -> [UInt8] {
    var answer = ClusterAnswer(snapshot: snapshot, result: ClusterResult())
    answer.result.featureCount = sum.features
    answer.output.isGeoJSON = request.values.cell.output.isGeoJSON
    answer.describe(request.area)
    answer.notes = notes
    var head = JSONWriter(reserving: 512)
    answer.openAnnotations(into: &head)
    return head.withBytes { head in
      // The memory isn't zeroed first, and there is one check a cell: copying is most of the cost.
      [UInt8](unsafeUninitializedCapacity: head.count + sum.bytes + 2) { bytes, count in
        count = write(head, into: UnsafeMutableRawBufferPointer(bytes))
      }
    }
  }

  /// Copies the head and the cells into memory of the right size, and returns the number of bytes.
  private func write(
    _ head: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer
  ) -> Int {
    bytes.copyMemory(from: head)
    var end = head.count
    area.forEachRun(in: slots) { slots, columns, row in
      let slots = slots.first + CellPage.number(column: columns.lowerBound, row: row)
      for number in 0..<columns.count {
        guard let address = slots[number].load(ordering: .acquiring) else { continue }
        let cell = EncodedCell(at: address).json
        guard let source = cell.baseAddress, !cell.isEmpty else { continue }
        // Filled slots don't change while a reader has the page, so the cells are as long as they were.
        precondition(end + cell.count < bytes.count - 1)
        bytes.baseAddress?.advanced(by: end).copyMemory(from: source, byteCount: cell.count)
        end += cell.count
        bytes[end] = UInt8(ascii: ",")
        end += 1
      }
    }
    // There is no comma after the last cell.
    if end > head.count { end -= 1 }
    bytes[end] = UInt8(ascii: "]")
    bytes[end + 1] = UInt8(ascii: "}")
    return end + 2
  }

  // MARK: Missing cells

  /// Clusters the missing cells and puts them into the pages; returns false if they take too much memory.
  private func cluster(_ sum: Sum) throws -> Bool {
    let missing = missingCells
    guard case .grid(let viewport, _) = request.area else { return false }
    let answer: ClusterAnswer
    do {
      answer = try ClusterAnswer(
        request, cells(sum, missing), limit: ClusterRequest.maximumLimit, of: snapshot)
    } catch let error as ImpossibleRequest where error.field == "limit" {
      // Some of the cells alone are too many, so all of them are.
      throw try wholeRequest.tooMany(ClusterRequest.maximumLimit + 1)
    }
    // There are too many features, unless there are too many annotations, which is said first.
    if request.needs.contains(.values), answer.result.featureCount > Statistics.maximumValues {
      return false
    }
    let encoder = try CellEncoder(answer, cellSize: viewport.cellSize)
    var json = JSONWriter(reserving: 4096)
    // Cells of a larger viewport aren't kept.
    let most = budget.memory.limit / 4
    var bytes = sum.bytes
    encoder.forEachCell(and: missing) { cell, annotations in
      let (column, row) = (cell.position.column, cell.position.row)
      guard bytes <= most,
        let page = area.page(column: column, row: row, in: pages),
        page.slot(column: column, row: row).pointee.load(ordering: .acquiring) == nil
      else { return }
      let encoded = encode(annotations, by: encoder, &json)
      // A cancelled result isn't kept.
      if Cancellation.isOver { return _ = encoded.release() }
      bytes += encoded.json.count
      page.fill(column: column, row: row, with: encoded)
    }
    return bytes <= most
  }

  private func encode(
    _ annotations: ArraySlice<Annotation>, by encoder: CellEncoder, _ json: inout JSONWriter
  ) -> EncodedCell {
    guard !annotations.isEmpty else { return .empty }
    json.removeAll()
    encoder.write(annotations, into: &json, upTo: EncodedCell.maximumBytes)
    if json.count > EncodedCell.maximumBytes { return .tooLong }
    return json.withBytes {
      EncodedCell($0, features: annotations.featureCount, annotations: annotations.count)
    }
  }

  /// The rectangle of cells around the missing ones.
  private func part(_ sum: Sum) -> GridRange {
    area.cells.part(
      offsets: sum.offsets.first..<sum.offsets.last + 1, rows: sum.rows.first..<sum.rows.last + 1)
  }

  /// The cells to cluster. A range is quicker than single cells, unless most of it is in the cache.
  private func cells(_ sum: Sum, _ missing: [ViewportCell]) -> ClusterAnswer.Cells {
    let part = self.part(sum)
    if Double(sum.missing) * 4 > part.count { return .range(part) }
    return .selection(CellSelection(missing.map(\.position), of: part.grid))
  }

  /// The cells that aren't in the cache, in order.
  private var missingCells: [ViewportCell] {
    var cells: [ViewportCell] = []
    area.forEachRun(in: pages) { page, columns, row in
      for column in columns
      where page.slot(column: column, row: row).pointee.load(ordering: .acquiring) == nil {
        let position = CellPosition(column: column, row: row)
        cells.append(ViewportCell(owner: .viewport, position: position))
      }
    }
    return cells
  }
}
