internal import CProtozero

/// Writes a Mapbox Vector Tile 2.1 of one layer of points: one after the other, its tags, then the point.
public final class VectorTileLayer {
  private let layer: OpaquePointer
  /// The tags of the next point: the numbers of keys and values in turn.
  private var tags: [UInt32] = []
  private var pointCount = 0
  /// For each key the point that had it last, and where its value is among that point's tags.
  private var lastUses: [(point: Int, place: Int)] = []

  /// Begins a layer; nil without memory.
  ///
  /// - Parameters:
  ///   - name: its name, in UTF-8.
  ///   - extent: the width and height of the tile in the units of points.
  public init?(name: [UInt8], extent: Int) {
    let layer = name.withUnsafeBytes { name in
      // A name without bytes has no address.
      withUnsafePointer(to: UInt8(0)) {
        cpz_layer_begin(
          name.baseAddress ?? UnsafeRawPointer($0), name.count, UInt32(clamping: extent))
      }
    }
    guard let layer else { return nil }
    self.layer = layer
  }

  deinit { cpz_layer_free(layer) }

  /// About the bytes of the tile so far.
  public var count: Int { cpz_size(layer) }

  /// Adds a tag to the next point. Of several with one key, the last counts.
  public func tag(_ key: UnsafeRawBufferPointer, _ value: Value) {
    let number = number(of: key, by: cpz_key)
    let encoded: UInt32 =
      switch value {
      case .string(let text): self.number(of: text, by: cpz_string)
      case .integer(let integer): cpz_integer(layer, Int64(integer))
      case .double(let double): cpz_double(layer, double)
      case .bool(let bool): cpz_bool(layer, bool)
      }
    while lastUses.count <= Int(number) { lastUses.append((-1, 0)) }
    if lastUses[Int(number)].point == pointCount {
      tags[lastUses[Int(number)].place] = encoded
      return
    }
    tags.append(number)
    lastUses[Int(number)] = (pointCount, tags.count)
    tags.append(encoded)
  }

  /// Adds a tag to the next point.
  public func tag(_ key: StaticString, _ value: Value) {
    tag(UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount), value)
  }

  /// Adds a tag with a text to the next point.
  public func tag(_ key: StaticString, text: String) {
    var text = text
    text.withUTF8 { tag(key, .string(UnsafeRawBufferPointer($0))) }
  }

  /// The value of a tag.
  public enum Value {
    /// Text in UTF-8.
    case string(UnsafeRawBufferPointer)
    case integer(Int)
    case double(Double)
    case bool(Bool)

    /// A number: an integer if it is one that a double holds exactly.
    public init(_ number: Double) {
      if number == number.rounded(), number.magnitude <= 9_007_199_254_740_991 {
        self = .integer(Int(number))
      } else {
        self = .double(number)
      }
    }
  }

  private func number(
    of text: UnsafeRawBufferPointer,
    by function: (OpaquePointer, UnsafeRawPointer, Int) -> UInt32
  ) -> UInt32 {
    withUnsafePointer(to: UInt8(0)) {
      function(layer, text.baseAddress ?? UnsafeRawPointer($0), text.count)
    }
  }

  /// Adds a point with the tags since the last one.
  public func point(id: UInt64?, x: Int, y: Int) {
    let (x, y) = (Int32(clamping: x), Int32(clamping: y))
    tags.withUnsafeBufferPointer { tags in
      if var id {
        cpz_point(layer, &id, x, y, tags.baseAddress, tags.count)
      } else {
        cpz_point(layer, nil, x, y, tags.baseAddress, tags.count)
      }
    }
    tags.removeAll(keepingCapacity: true)
    pointCount += 1
  }

  /// The tile with all points so far; nil if there was too little memory.
  public func encoded() -> [UInt8]? {
    var size = 0
    guard let bytes = cpz_layer_end(layer, &size) else { return nil }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: size))
  }
}
