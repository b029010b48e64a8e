import ClusterCore
import GeoFormats

/// The coordinate and bounds of an annotation: latitude, longitude, west, south, east and north.
struct AnnotationFigures {
  private let values: SIMD8<Double>
  private let texts: NumberTexts.Pointers
  /// Whether all of them have texts there; otherwise they must be encoded one by one.
  private let haveTexts: Bool

  @inline(__always)
  init(_ annotation: Annotation, _ numbers: NumberTexts.Pointers) {
    let (coordinate, bounds) = (annotation.coordinate, annotation.bounds)
    values = SIMD8(
      coordinate.latitude, coordinate.longitude, bounds.west, bounds.south, bounds.east,
      bounds.north, 0, 0)
    texts = numbers
    haveTexts = numbers.encode(values, count: 6)
  }

  /// Writes one of them.
  @inline(__always) @discardableResult
  func write(_ index: Int, into room: inout JSONRoom) -> JSONRoom.Piece {
    haveTexts ? room.number(index, of: texts) : room.number(values[index])
  }

  /// Writes one of them, by copying the bytes of another one if both are the same.
  @inline(__always) @discardableResult
  func write(
    _ index: Int, like other: Int, _ piece: JSONRoom.Piece, into room: inout JSONRoom
  ) -> JSONRoom.Piece {
    if !haveTexts, values[index].bitPattern == values[other].bitPattern {
      room.again(piece)
      return piece
    }
    return write(index, into: &room)
  }
}
