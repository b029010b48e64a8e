import ClusterCore
import GeoFormats

/// Cells that aren't known.
extension CachedViewport {
  /// Clusters the missing cells and prints them into the pages.
  ///
  /// - Returns: false where they are more than can be answered or kept.
  func cluster(_ sum: Sum) -> Bool {
    let properties = BoundProperties(request.values.cell.properties, in: snapshot.collection)
    guard let result = clusters(sum, properties) else { return false }
    let writer = AnnotationWriter(
      collection: snapshot.collection, result: result, options: request.values.cell.output,
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
  ) -> EncodedCell {
    guard !annotations.isEmpty else { return .empty }
    json.removeAll()
    var features = 0
    for annotation in annotations {
      features += annotation.count
      writer.write(annotation, into: &json)
      if json.count > EncodedCell.maximumBytes { return .tooLong }
    }
    return json.withBytes {
      EncodedCell($0, features: features, annotations: annotations.count)
    }
  }

  /// What to draw in the missing cells, and maybe in others; nil where it is too much.
  private func clusters(_ sum: Sum, _ properties: BoundProperties) -> ClusterResult? {
    guard case .grid(var request) = BoundViewport(request, properties) else { return nil }
    let part = area.cells.part(
      offsets: sum.offsets.first..<sum.offsets.last + 1, rows: sum.rows.first..<sum.rows.last + 1)
    request.limit = ClusterRequest.maximumLimit
    // Cells in one piece are quicker to cluster than one by one.
    if Double(sum.missing) * 4 > part.count {
      request.cells = part
      let scope = FeatureScope(snapshot.collection, passing: properties.filter, near: request)
      return try? scope.clusters(request)
    }
    let selection = CellSelection(missingCells, of: part.grid)
    let scope = FeatureScope(snapshot.collection, passing: properties.filter, near: selection)
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
