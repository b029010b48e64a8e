import ClusterCore
import GeoFormats

/// Encodes the cells of an answer as elements of an event's `cells`.
struct CellWriter {
  private let encoder: CellEncoder
  private var json = JSONWriter(reserving: 1 << 14)

  init(_ encoder: CellEncoder) { self.encoder = encoder }

  /// Lends a cell as a JSON object.
  mutating func withJSON<R>(
    _ cell: ViewportCell, _ annotations: ArraySlice<Annotation>,
    _ body: (UnsafeRawBufferPointer) -> R
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
    encoder.write(annotations, into: &json)
    json.endArray()
    json.endObject()
    return json.withBytes(body)
  }
}
