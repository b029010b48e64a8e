import ClusterCore
import GeoFormats

/// The annotations of an answer on a grid, cell by cell, and their encoder.
struct CellEncoder {
  private let writer: AnnotationWriter
  /// By cell.
  private let annotations: [Annotation]
  /// The owner of each layer's grid.
  private let owners: [ViewportCell.Owner]

  /// - Parameter cellSize: the size of the viewport's own cells, in points.
  init(_ answer: ClusterAnswer, cellSize: Double) throws(ImpossibleRequest) {
    writer = try AnnotationWriter(answer)
    let owners = answer.result.layers.map { layer -> ViewportCell.Owner in
      guard let group = layer.group, layer.cellSize != cellSize else { return .viewport }
      return .group(group.key)
    }
    self.owners = owners
    let annotations = answer.result.annotations
    guard owners.contains(where: { $0 != .viewport }) else {
      // An answer on one grid is in the order of its cells.
      self.annotations = annotations
      return
    }
    let cells = annotations.map { CellEncoder.cell(of: $0, owners) }
    self.annotations = annotations.indices
      .sorted { cells[$0] != cells[$1] ? cells[$0] < cells[$1] : $0 < $1 }.map { annotations[$0] }
  }

  private static func cell(
    of annotation: Annotation, _ owners: [ViewportCell.Owner]
  ) -> ViewportCell {
    guard let position = annotation.cell else {
      preconditionFailure("an annotation on a grid has a cell")
    }
    return ViewportCell(owner: owners[annotation.layer], position: position)
  }

  /// Calls `body` with the cells that have annotations, and with some others, which have none unless
  /// they are among those; in order.
  ///
  /// - Parameter others: in order.
  func forEachCell(
    and others: [ViewportCell], _ body: (ViewportCell, ArraySlice<Annotation>) -> Void
  ) {
    var (start, other) = (0, 0)
    while start < annotations.count {
      let cell = CellEncoder.cell(of: annotations[start], owners)
      let end =
        annotations[start...].firstIndex { CellEncoder.cell(of: $0, owners) != cell }
        ?? annotations.count
      while other < others.count, others[other] < cell {
        body(others[other], [])
        other += 1
      }
      if other < others.count, others[other] == cell { other += 1 }
      body(cell, annotations[start..<end])
      start = end
    }
    for cell in others[other...] { body(cell, []) }
  }

  /// Encodes the annotations of a cell, until there are more than some bytes.
  func write(
    _ annotations: ArraySlice<Annotation>, into json: inout JSONWriter, upTo limit: Int = .max
  ) {
    for annotation in annotations where json.count <= limit {
      writer.write(annotation, into: &json)
    }
  }
}

extension ArraySlice<Annotation> {
  /// The number of features of all of them.
  var featureCount: Int { reduce(0) { $0 + $1.count } }
}
