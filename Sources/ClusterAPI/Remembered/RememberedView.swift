import ClusterCore
import GeoFormats

/// A view whose cells are remembered, all or some of them or none yet.
struct RememberedView: Sendable {
  private let view: ViewRequest
  private let request: ClusterRequest
  private let isGeoJSON: Bool
  private let snapshot: CollectionSnapshot
  private let memory: CellMemory
  private let area: CellArea
  private let pages: [CellPage]

  /// What its cells add up to.
  private struct Sum {
    var bytes = 0
    var features = 0
    var annotations = 0
    // The cells that aren't known: how many, and which rows and columns they are in, counted from the
    // view's first.
    var missing = 0
    var rows = (first: Int.max, last: Int.min)
    var offsets = (first: Int.max, last: Int.min)
  }

  /// A view of a collection; nil where cells like its own aren't remembered.
  init?(
    _ view: ViewRequest, _ type: MediaType, _ snapshot: CollectionSnapshot, _ memory: CellMemory
  ) {
    isGeoJSON = type == .geoJSON
    guard case .grid(let request, _) = view.method, let area = CellArea(request.cells),
      let key = CellKey(view, isGeoJSON: isGeoJSON),
      let grid = snapshot.remembered.grid(key, memory),
      let pages = grid.pages(of: area, at: snapshot.info.version)
    else { return nil }
    (self.view, self.request, self.area) = (view, request, area)
    (self.snapshot, self.memory, self.pages) = (snapshot, memory, pages)
  }

  /// The answer as it is printed.
  ///
  /// - Parameter clustering: whether cells that aren't known yet are to be clustered.
  /// - Returns: nil where there are some and they are not to be, or there is more than can be answered.
  func body(clustering: Bool) -> [UInt8]? {
    var sum = self.sum
    let missing = sum.missing
    if missing > 0 {
      guard clustering, print(sum) else { return nil }
      sum = self.sum
    }
    guard sum.missing == 0, sum.annotations <= request.limit else { return nil }
    defer { memory.count(remembered: Int(area.cells.count) - missing, clustered: missing) }
    return body(sum)
  }

  private var sum: Sum {
    var sum = Sum()
    area.forEachRun(in: pages) { page, columns, row in
      let slots = page.slot(column: columns.lowerBound, row: row)
      for number in 0..<columns.count {
        if let address = slots[number].load(ordering: .acquiring) {
          let cell = PrintedCell(at: address)
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

  /// Prints the answer of cells that are all known.
  private func body(_ sum: Sum) -> [UInt8] {
    var answer = ClusterAnswer(snapshot: snapshot, result: ClusterResult())
    answer.result.featureCount = sum.features
    answer.describe(view.method)
    var head = JSONWriter(reserving: 512)
    head.beginObject()
    if isGeoJSON { head.member("type", "FeatureCollection") }
    answer.writeHead(into: &head)
    head.key(isGeoJSON ? "features" : "annotations")
    head.beginArray()
    return head.withBytes { head in
      // Without zeros first, and a check a cell: this is most of what such an answer costs.
      [UInt8](unsafeUninitializedCapacity: head.count + sum.bytes + 2) { bytes, count in
        count = write(head, into: UnsafeMutableRawBufferPointer(bytes))
      }
    }
  }

  /// Writes all there is into memory of the right size.
  ///
  /// - Returns: the number of bytes.
  private func write(
    _ head: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer
  ) -> Int {
    bytes.copyMemory(from: head)
    var end = head.count
    area.forEachRun(in: pages) { page, columns, row in
      let slots = page.slot(column: columns.lowerBound, row: row)
      for number in 0..<columns.count {
        guard let address = slots[number].load(ordering: .acquiring) else { continue }
        let cell = PrintedCell(at: address).json
        guard let source = cell.baseAddress, !cell.isEmpty else { continue }
        // Cells don't change, nor do those of pages that somebody has, so they are as long as before.
        precondition(end + cell.count < bytes.count - 1)
        bytes.baseAddress?.advanced(by: end).copyMemory(from: source, byteCount: cell.count)
        end += cell.count
        bytes[end] = UInt8(ascii: ",")
        end += 1
      }
    }
    // The last comma goes.
    if end > head.count { end -= 1 }
    bytes[end] = UInt8(ascii: "]")
    bytes[end + 1] = UInt8(ascii: "}")
    return end + 2
  }

  // MARK: Cells that aren't known

  /// Clusters the missing cells and prints them into the pages.
  ///
  /// - Returns: false where they are more than can be answered or kept.
  private func print(_ sum: Sum) -> Bool {
    let properties = BoundProperties(view.properties, in: snapshot.index)
    guard let result = clusters(sum, properties) else { return false }
    let writer = AnnotationWriter(
      index: snapshot.index, result: result, options: view.output,
      statistics: properties.annotationStatistics)
    var rest = result.annotations[...]
    var json = JSONWriter(reserving: 4096)
    var bytes = sum.bytes
    area.forEachRun(in: pages) { page, columns, row in
      for column in columns {
        let slot = page.slot(column: column, row: row)
        guard slot.pointee.load(ordering: .acquiring) == nil else { continue }
        let position = CellPosition(column: column, row: row)
        rest = rest.drop { $0.cell.map { $0.precedes(position) } ?? true }
        let own = rest.prefix { $0.cell == position }
        rest = rest.dropFirst(own.count)
        guard bytes <= memory.maximumView else { continue }
        let cell = print(own, writer, &json)
        bytes += cell.json.count
        page.fill(column: column, row: row, with: cell)
      }
    }
    return bytes <= memory.maximumView
  }

  private func print(
    _ annotations: ArraySlice<Annotation>, _ writer: AnnotationWriter, _ json: inout JSONWriter
  ) -> PrintedCell {
    guard !annotations.isEmpty else { return .empty }
    json.removeAll()
    var features = 0
    for annotation in annotations {
      features += annotation.count
      if isGeoJSON {
        writer.writeGeoJSON(annotation, into: &json)
      } else {
        writer.write(annotation, into: &json)
      }
      if json.count > PrintedCell.maximumBytes { return .tooLong }
    }
    return json.withBytes {
      PrintedCell($0, features: features, annotations: annotations.count)
    }
  }

  /// What to draw in the missing cells, and maybe in others; nil where it is too much.
  private func clusters(_ sum: Sum, _ properties: BoundProperties) -> ClusterResult? {
    guard case .grid(var request, _) = view.method.bound(to: properties) else { return nil }
    let part = area.cells.part(
      offsets: sum.offsets.first..<sum.offsets.last + 1, rows: sum.rows.first..<sum.rows.last + 1)
    request.limit = ClusterRequest.maximumLimit
    // Cells in one piece are quicker to cluster than one by one.
    if Double(sum.missing) * 4 > part.count {
      request.cells = part
      let scope = FeatureScope(snapshot.index, passing: properties.filter, near: request)
      return try? scope.clusters(request)
    }
    let selection = CellSelection(missingCells, of: part.grid)
    let scope = FeatureScope(snapshot.index, passing: properties.filter, near: selection)
    return try? scope.clusters(request, in: selection)
  }

  private var missingCells: [CellPosition] {
    var cells: [CellPosition] = []
    area.forEachRun(in: pages) { page, columns, row in
      for column in columns
      where page.slot(column: column, row: row).pointee.load(ordering: .acquiring) == nil {
        cells.append(CellPosition(column: column, row: row))
      }
    }
    return cells
  }
}

extension CellPosition {
  /// Whether it comes before another, by row and column.
  fileprivate func precedes(_ other: CellPosition) -> Bool {
    row != other.row ? row < other.row : column < other.column
  }
}
