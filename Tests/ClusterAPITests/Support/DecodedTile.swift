import Testing

/// A Mapbox Vector Tile of one layer of points, read by the specification, apart from the library that wrote it.
struct DecodedTile {
  enum Value: Equatable {
    case string(String)
    case integer(Int)
    case double(Double)
    case bool(Bool)
  }

  struct Point {
    var id: UInt64?
    var x = 0
    var y = 0
    var tags: [String: Value] = [:]
  }

  var name = ""
  var version = 0
  var extent = 0
  var points: [Point] = []

  init(_ bytes: [UInt8]) throws {
    var layers = 0
    try Message(bytes[...]).forEach { field, value in
      #expect(field == 3)
      layers += 1
      try read(layer: value.bytes())
    }
    #expect(layers == 1)
  }

  private mutating func read(layer: ArraySlice<UInt8>) throws {
    var (keys, values, features): ([String], [Value], [ArraySlice<UInt8>]) = ([], [], [])
    try Message(layer).forEach { field, value in
      switch field {
      case 1: name = try value.text()
      case 2: features.append(try value.bytes())
      case 3: keys.append(try value.text())
      case 4: values.append(try DecodedTile.value(value.bytes()))
      case 5: extent = try Int(value.number())
      case 15: version = try Int(value.number())
      default: Issue.record("a layer with the field \(field)")
      }
    }
    #expect(Set(keys).count == keys.count)
    points = try features.map { try DecodedTile.point($0, keys, values) }
  }

  private static func value(_ bytes: ArraySlice<UInt8>) throws -> Value {
    var found: Value?
    try Message(bytes).forEach { field, value in
      switch field {
      case 1: found = .string(try value.text())
      case 3: found = .double(Double(bitPattern: try value.number()))
      case 5: found = .integer(try Int(value.number()))
      case 6: found = .integer(zigzag(try value.number()))
      case 7: found = .bool(try value.number() != 0)
      default: Issue.record("a value with the field \(field)")
      }
    }
    return try #require(found)
  }

  private static func point(
    _ bytes: ArraySlice<UInt8>, _ keys: [String], _ values: [Value]
  ) throws -> Point {
    var point = Point()
    try Message(bytes).forEach { field, value in
      switch field {
      case 1: point.id = try value.number()
      case 2:
        let tags = try value.numbers()
        for index in stride(from: 0, to: tags.count, by: 2) {
          let key = keys[Int(tags[index])]
          #expect(point.tags[key] == nil, "\(key) occurs twice")
          point.tags[key] = values[Int(tags[index + 1])]
        }
      case 3: #expect(try value.number() == 1)
      case 4:
        let geometry = try value.numbers()
        #expect(geometry.count == 3 && geometry[0] == 9)
        (point.x, point.y) = (zigzag(geometry[1]), zigzag(geometry[2]))
      default: Issue.record("a feature with the field \(field)")
      }
    }
    return point
  }

  private static func zigzag(_ number: UInt64) -> Int {
    Int(truncatingIfNeeded: number >> 1) ^ -Int(truncatingIfNeeded: number & 1)
  }
}

/// A message of a protocol buffer.
private struct Message {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  enum Field {
    case number(UInt64)
    case bytes(ArraySlice<UInt8>)

    func number() throws -> UInt64 {
      guard case .number(let number) = self else { throw Malformed() }
      return number
    }

    func bytes() throws -> ArraySlice<UInt8> {
      guard case .bytes(let bytes) = self else { throw Malformed() }
      return bytes
    }

    func text() throws -> String {
      guard let text = String(validating: try bytes(), as: UTF8.self) else { throw Malformed() }
      return text
    }

    /// Packed numbers.
    func numbers() throws -> [UInt64] {
      var (rest, numbers): (ArraySlice<UInt8>, [UInt64]) = (try bytes(), [])
      while !rest.isEmpty { numbers.append(try Message.varint(&rest)) }
      return numbers
    }
  }

  struct Malformed: Error {}

  func forEach(_ body: (Int, Field) throws -> Void) throws {
    var rest = bytes
    while !rest.isEmpty {
      let key = try Message.varint(&rest)
      let field = Int(key >> 3)
      switch key & 7 {
      case 0: try body(field, .number(try Message.varint(&rest)))
      case 1:
        guard rest.count >= 8 else { throw Malformed() }
        let number = rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(8)
        try body(field, .number(number))
      case 2:
        let count = Int(try Message.varint(&rest))
        guard rest.count >= count else { throw Malformed() }
        try body(field, .bytes(rest.prefix(count)))
        rest = rest.dropFirst(count)
      default: throw Malformed()
      }
    }
  }

  static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: 0, to: 70, by: 7) {
      guard let byte = rest.popFirst() else { throw Malformed() }
      number |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return number }
    }
    throw Malformed()
  }
}
