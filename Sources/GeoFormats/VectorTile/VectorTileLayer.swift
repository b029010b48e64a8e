internal import CProtozero

/// Writes a Mapbox Vector Tile 2.1 of one layer of points: one after the other, its tags, then the point.
public final class VectorTileLayer {
  private let layer: OpaquePointer
  /// The numbers of names in the code, by their addresses, and of the value `true`.
  private var knownKeys: [(name: UnsafePointer<UInt8>, number: UInt32)] = []
  private var knownTrue: UInt32?
  /// The integer that was a value last, and its number.
  private var lastInteger: (value: Int, number: UInt32)?

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
    tag(number(of: key, by: cpz_key), value)
  }

  private func tag(_ key: UInt32, _ value: Value) { cpz_tag(layer, key, number(of: value)) }

  /// Adds a tag to the next point.
  public func tag(_ key: StaticString, _ value: Value) {
    for known in knownKeys where known.name == key.utf8Start { return tag(known.number, value) }
    let text = UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
    let number = number(of: text, by: cpz_key)
    knownKeys.append((key.utf8Start, number))
    tag(number, value)
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
    /// Text that no other point has, so that it needn't be looked for among the values.
    case ownString(UnsafeRawBufferPointer)
    case integer(Int)
    /// An integer that no other point has, such as an id.
    case ownInteger(Int)
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

  private func number(of value: Value) -> UInt32 {
    switch value {
    case .string(let text): return number(of: text, by: cpz_string)
    case .ownString(let text): return number(of: text, by: cpz_own_string)
    case .integer(let integer):
      if let lastInteger, lastInteger.value == integer { return lastInteger.number }
      let number = cpz_integer(layer, Int64(integer))
      lastInteger = (integer, number)
      return number
    case .ownInteger(let integer): return cpz_own_integer(layer, Int64(integer))
    case .double(let double): return cpz_double(layer, double)
    case .bool(true):
      let number = knownTrue ?? cpz_bool(layer, true)
      knownTrue = number
      return number
    case .bool(false): return cpz_bool(layer, false)
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
    if var id { cpz_point(layer, &id, x, y) } else { cpz_point(layer, nil, x, y) }
  }

  /// The tile with all points so far; nil if there was too little memory.
  public func encoded() -> [UInt8]? {
    var size = 0
    guard let bytes = cpz_layer_end(layer, &size) else { return nil }
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: size))
  }
}
