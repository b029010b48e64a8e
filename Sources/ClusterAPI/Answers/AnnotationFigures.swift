import ClusterCore
import GeoFormats

/// The coordinate, count and bounds of an annotation, encoded.
struct AnnotationFigures {
  let count: Int
  let isUniqueLocation: Bool
  /// Latitude and longitude, then west, south, east and north.
  let texts: NumberTexts.Texts
  /// Whether the numbers have texts; otherwise they must be encoded one by one.
  let haveTexts: Bool

  /// The number of numbers.
  static let numbers = 6

  /// Writes those of the members from `coordinate` to `subtitle` that are wanted, but no titles of features.
  ///
  /// - Parameter comma: whether a comma is due before the first.
  @inline(__always)
  func writeMembers(
    _ fields: AnnotationFields, hasTitles: Bool, comma: Bool, into room: inout JSONRoom
  ) {
    guard fields == .all else {
      return writeSome(fields, hasTitles: hasTitles, comma: comma, into: &room)
    }
    if comma { room.text(",") }
    writeAll(hasTitles: hasTitles, into: &room)
  }

  @inline(__always)
  private func writeAll(hasTitles: Bool, into room: inout JSONRoom) {
    room.text("\"coordinate\":{\"latitude\":")
    let latitude = write(0, into: &room)
    room.text(",\"longitude\":")
    let longitude = write(1, into: &room)
    room.text("},\"count\":")
    let number = room.integer(count)
    switch (count > 1, isUniqueLocation) {
    case (true, false): room.text(",\"isCluster\":true,\"isUniqueLocation\":false,\"bbox\":[")
    case (true, true): room.text(",\"isCluster\":true,\"isUniqueLocation\":true,\"bbox\":[")
    case (false, true): room.text(",\"isCluster\":false,\"isUniqueLocation\":true,\"bbox\":[")
    case (false, false): room.text(",\"isCluster\":false,\"isUniqueLocation\":false,\"bbox\":[")
    }
    // A pin's bounds are its coordinate, which is encoded already.
    let west = write(2, like: 1, longitude, into: &room)
    room.text(",")
    let south = write(3, like: 0, latitude, into: &room)
    room.text(",")
    write(4, like: 2, west, into: &room)
    room.text(",")
    write(5, like: 3, south, into: &room)
    if hasTitles { return room.text("]") }
    room.text("],\"title\":\"")
    room.again(number)
    if count > 1 {
      room.text(" annotations\",\"subtitle\":null")
    } else {
      room.text(" annotation\",\"subtitle\":null")
    }
  }

  private func writeSome(
    _ fields: AnnotationFields, hasTitles: Bool, comma: Bool, into room: inout JSONRoom
  ) {
    var comma = comma
    func begin(_ field: AnnotationFields) -> Bool {
      guard fields.contains(field) else { return false }
      if comma { room.text(",") }
      comma = true
      return true
    }
    if begin(.coordinate) {
      room.text("\"coordinate\":{\"latitude\":")
      write(0, into: &room)
      room.text(",\"longitude\":")
      write(1, into: &room)
      room.text("}")
    }
    if begin(.count) {
      room.text("\"count\":")
      room.integer(count)
    }
    if begin(.isCluster) { room.text(count > 1 ? "\"isCluster\":true" : "\"isCluster\":false") }
    if begin(.isUniqueLocation) {
      room.text(isUniqueLocation ? "\"isUniqueLocation\":true" : "\"isUniqueLocation\":false")
    }
    if begin(.bbox) {
      room.text("\"bbox\":[")
      for index in 2..<6 {
        if index > 2 { room.text(",") }
        write(index, into: &room)
      }
      room.text("]")
    }
    guard !hasTitles else { return }
    if begin(.title) {
      room.text("\"title\":\"")
      room.integer(count)
      room.text(count > 1 ? " annotations\"" : " annotation\"")
    }
    if begin(.subtitle) { room.text("\"subtitle\":null") }
  }

  /// Writes one of the numbers.
  @inline(__always) @discardableResult
  private func write(_ index: Int, into room: inout JSONRoom) -> JSONRoom.Piece {
    haveTexts ? room.number(index, of: texts) : room.number(texts.number(index))
  }

  /// Writes one of the numbers, by copying the bytes of another one if both are the same.
  @inline(__always) @discardableResult
  private func write(
    _ index: Int, like other: Int, _ piece: JSONRoom.Piece, into room: inout JSONRoom
  ) -> JSONRoom.Piece {
    if !haveTexts, texts.number(index).bitPattern == texts.number(other).bitPattern {
      room.again(piece)
      return piece
    }
    return write(index, into: &room)
  }
}

extension AnnotationFigures {
  /// Encodes the figures of an annotation into memory for one row.
  init(_ annotation: Annotation, _ memory: NumberTexts.Pointers) {
    (count, isUniqueLocation) = (annotation.count, annotation.isUniqueLocation)
    let (coordinate, bounds) = (annotation.coordinate, annotation.bounds)
    let values = SIMD8(
      coordinate.latitude, coordinate.longitude, bounds.west, bounds.south, bounds.east,
      bounds.north, 0, 0)
    UnsafeMutableRawPointer(memory.numbers).storeBytes(of: values, as: SIMD8<Double>.self)
    let wanted: UInt8 = (1 << UInt8(AnnotationFigures.numbers)) &- 1
    haveTexts = memory.encode(memory.numbers, rows: 1) & wanted == wanted
    texts = memory.row
  }
}
