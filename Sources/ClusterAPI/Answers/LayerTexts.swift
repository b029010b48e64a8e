import ClusterCore
import GeoFormats

/// The common text of a layer's annotations, encoded once: the beginning and end of the ids of cells, and the
/// member `group`. The texts of all layers are in one array, so that loops over annotations read only that.
struct LayerTexts {
  private struct Layer {
    var start: Int
    var tail: Int
    var group: Int
    var end: Int
  }

  private let bytes: [UInt8]
  private let layers: [Layer]
  /// The length of the longest layer's text, in bytes.
  let maximumLength: Int
  /// The most bytes of an annotation's id and ``AnnotationFigures``.
  var lengthWithFigures: Int { 513 + maximumLength + 12 * JSONRoom.numberLength }

  /// The texts of layers; without a grid, there are no ids of cells.
  init(_ all: [ClusterLayer]) {
    var json = JSONWriter(reserving: 512)
    var layers: [Layer] = []
    layers.reserveCapacity(all.count)
    var longest = 0
    for layer in all {
      let start = json.count
      if let grid = layer.grid { json.cellNameHead(grid, cellSize: layer.cellSize) }
      let tail = json.count
      if let group = layer.group { json.text(CellName.tail(group.name)) }
      let group = json.count
      if let key = layer.group.map(\.key) { json.group(key) }
      layers.append(Layer(start: start, tail: tail, group: group, end: json.count))
      longest = max(longest, json.count - start)
    }
    // Short texts are copied as if they were longer.
    let padding = [UInt8](repeating: 0, count: JSONRoom.shortLength)
    (bytes, self.layers) = (json.bytes + padding, layers)
    maximumLength = longest + 2 * JSONRoom.shortLength
  }

  /// The parts of a layer's text.
  struct Texts {
    /// The beginning and end of ids of cells.
    let head, tail: UnsafeRawBufferPointer
    /// The member `group`; empty if there are no groups.
    let group: UnsafeRawBufferPointer

    /// Writes the id of a cell or location; nothing for a feature.
    @inline(__always)
    func writeID(_ key: Annotation.Key, into room: inout JSONRoom) {
      switch key {
      case .cell(let cell): writeID(cell, nil, into: &room)
      case .location(let cell, let location): writeID(cell, location, into: &room)
      case .feature: break
      }
    }

    /// Writes the id of a cell, or of a location in it, as ``CellName`` forms it, without a String.
    @inline(__always)
    func writeID(_ cell: CellPosition, _ location: Location?, into room: inout JSONRoom) {
      room.short(head)
      room.integer(cell.column)
      room.text("_")
      room.integer(cell.row)
      if let location {
        room.text("_")
        room.integer(Int(location.column))
        room.text(".")
        room.integer(Int(location.row))
      }
      if !tail.isEmpty { room.short(tail) }
    }
  }

  /// Lends the parts of a layer's text.
  @inline(__always)
  func withTexts<R>(ofLayer number: Int, _ body: (Texts) -> R) -> R {
    let layer = layers[number]
    return bytes.withUnsafeBytes { bytes in
      // The initializer has put the places in order.
      func text(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes.baseAddress.map { $0 + start }, count: end &- start)
      }
      return body(
        Texts(
          head: text(layer.start, layer.tail), tail: text(layer.tail, layer.group),
          group: text(layer.group, layer.end)))
    }
  }
}

extension JSONWriter {
  /// Writes ``CellName/head(_:cellSize:)``, usually without a String.
  fileprivate mutating func cellNameHead(_ grid: CellGrid, cellSize: Double) {
    guard cellSize == cellSize.rounded(), cellSize.magnitude < 1e15 else {
      return text(CellName.head(grid, cellSize: cellSize))
    }
    part("g")
    part(grid.cellsPerWorld)
    part("_")
    part(Int(cellSize))
    part("_")
  }

  fileprivate mutating func text(_ ascii: String) { part(Array(ascii.utf8)) }

  fileprivate mutating func group(_ key: [UInt8]?) {
    // Not by `key`, which would write a comma before it.
    part("\"group\":")
    if let key { key.withUnsafeBytes { stringUTF8($0) } } else { null() }
  }
}
