import ClusterCore
import GeoFormats

/// Cells that aren't in the cache.
extension CachedViewport {
  /// Clusters the missing cells and puts them into the pages.
  ///
  /// - Returns: false if there are more annotations than an answer can have, or more bytes than are kept.
  func cluster(_ sum: Sum) -> Bool {
    let missing = missingCells
    guard case .grid(let viewport, _) = request.area,
      let answer = try? ClusterAnswer(
        cells(sum, missing), of: request, limit: ClusterRequest.maximumLimit, in: snapshot),
      let encoder = try? CellEncoder(answer, cellSize: viewport.cellSize)
    else { return false }
    var json = JSONWriter(reserving: 4096)
    var bytes = sum.bytes
    encoder.forEachCell(and: missing) { cell, annotations in
      let (column, row) = (cell.position.column, cell.position.row)
      guard bytes <= memory.maximumViewport,
        let page = area.page(column: column, row: row, in: pages),
        page.slot(column: column, row: row).pointee.load(ordering: .acquiring) == nil
      else { return }
      let encoded = encode(annotations, by: encoder, &json)
      bytes += encoded.json.count
      page.fill(column: column, row: row, with: encoded)
    }
    return bytes <= memory.maximumViewport
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

  /// The cells to cluster. A range is quicker than single cells, unless most of it is in the cache.
  private func cells(_ sum: Sum, _ missing: [ViewportCell]) -> ClusterAnswer.Cells {
    let part = area.cells.part(
      offsets: sum.offsets.first..<sum.offsets.last + 1, rows: sum.rows.first..<sum.rows.last + 1)
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
