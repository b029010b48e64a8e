import ClusterCore
import GeoFormats

/// A cell of a view as its watchers know it.
struct ViewportCell: Hashable {
  /// Whose grid it is of.
  enum Owner: Hashable {
    case view
    /// A group that has cells of its own size; by its key, nil for features without a value.
    case group([UInt8]?)
  }

  var owner: Owner
  var position: CellPosition
}

extension ViewportCell: Comparable {
  /// By row and column; those of the view's own grid before those of groups, in the order of groups.
  static func < (a: ViewportCell, b: ViewportCell) -> Bool {
    if a.position.row != b.position.row { return a.position.row < b.position.row }
    if a.position.column != b.position.column { return a.position.column < b.position.column }
    switch (a.owner, b.owner) {
    case (.view, .group): return true
    case (.group(nil), .group(.some)): return true
    case (.group(let a?), .group(let b?)): return a.lexicographicallyPrecedes(b)
    default: return false
    }
  }
}

extension ClusterAnswer {
  /// The numbers of a view's annotations on a grid by cell, in the order of the cells.
  ///
  /// - Parameter cellSize: that of the view's own grid.
  func annotationsByCell(cellSize: Double) -> [(cell: ViewportCell, annotations: [Int])] {
    let owners = result.layers.map { layer -> ViewportCell.Owner in
      guard let group = layer.group, layer.cellSize != cellSize else { return .view }
      return .group(group.key)
    }
    var places: [ViewportCell: Int] = [:]
    var cells: [(cell: ViewportCell, annotations: [Int])] = []
    for (number, annotation) in result.annotations.enumerated() {
      guard let position = annotation.cell else { continue }
      let cell = ViewportCell(owner: owners[annotation.layer], position: position)
      let place = places[cell] ?? cells.count
      if place == cells.count {
        places[cell] = place
        cells.append((cell, []))
      }
      cells[place].annotations.append(number)
    }
    // Mostly they are in order already.
    return owners.contains { $0 != .view } ? cells.sorted { $0.cell < $1.cell } : cells
  }
}

extension CellSelection {
  /// The cells that may hold annotations: of the view's own grid, and of the groups that have others.
  ///
  /// - Parameter cellSize: that of the view's own grid.
  func viewCells(_ overrides: [[UInt8]: Grouping.Override], cellSize: Double) -> [ViewportCell] {
    var cells = ownCells.map { ViewportCell(owner: .view, position: $0) }
    for (key, override) in overrides where override.cellSize != cellSize {
      let positions = self.cells(ofSize: override.cellSize)
      cells += positions.map { ViewportCell(owner: .group(key), position: $0) }
      // The group of features without a value goes by the same name.
      guard key == KeyColumn.nullKey else { continue }
      cells += positions.map { ViewportCell(owner: .group(nil), position: $0) }
    }
    return cells.sorted()
  }

  /// How many those are, at most.
  func viewCellCount(_ overrides: [[UInt8]: Grouping.Override], cellSize: Double) -> Int {
    var count = ownCount
    for override in overrides.values where override.cellSize != cellSize {
      count += 2 * self.count(ofSize: override.cellSize)
    }
    return count
  }
}

/// Prints the cells of an answer.
struct CellWriter {
  private let writer: AnnotationWriter
  private let annotations: [Annotation]
  private var json = JSONWriter(reserving: 1 << 14)

  init(_ answer: ClusterAnswer) {
    writer = AnnotationWriter(
      collection: answer.snapshot.collection, result: answer.result, options: answer.output,
      statistics: answer.statistics)
    annotations = answer.result.annotations
  }

  /// Lends a cell with some of the answer's annotations as a JSON object.
  mutating func withJSON<R>(
    _ cell: ViewportCell, _ numbers: [Int], _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    json.removeAll()
    json.beginObject()
    json.member("column", cell.position.column)
    json.member("row", cell.position.row)
    if case .group(let key) = cell.owner {
      json.key("group")
      if let key { key.withUnsafeBytes { json.stringUTF8($0) } } else { json.null() }
    }
    json.key("annotations")
    json.beginArray()
    for number in numbers { writer.write(annotations[number], into: &json) }
    json.endArray()
    json.endObject()
    return json.withBytes(body)
  }
}
