import Threading
import TestSupport

@testable import ClusterCore

/// Reads properties with the tests' own parser, and counts how often it is asked.
struct TestDecoder: PropertyDecoder {
  let asked = Locked(0)

  func withValue(
    of name: [UInt8], in properties: UnsafeRawBufferPointer, _ body: (PropertyValue) -> Void
  ) {
    asked.withLock { $0 += 1 }
    let object = try? TestJSON(parsing: properties)
    switch object?[String(decoding: name, as: UTF8.self)] {
    case nil, .null?: body(.missing)
    case .bool(let value)?: body(.bool(value))
    case .number(let text)?: body(Double(text).map { .number($0) } ?? .missing)
    case .string(let text)?: Array(text.utf8).withUnsafeBytes { body(.string($0)) }
    case let other?: Array(other.text.utf8).withUnsafeBytes { body(.other($0)) }
    }
  }
}

/// A property's value, owned, for comparisons.
enum OwnedValue: Hashable {
  case missing
  case bool(Bool)
  case number(Double)
  case string([UInt8])
  case other([UInt8])

  init(_ value: PropertyValue) {
    switch value {
    case .missing: self = .missing
    case .bool(let value): self = .bool(value)
    case .number(let value): self = .number(value)
    case .string(let bytes): self = .string(Array(bytes))
    case .other(let bytes): self = .other(Array(bytes))
    }
  }

  /// What a feature holds, by the decoder.
  init(_ name: String, at ordinal: Int, of index: FeatureIndex) {
    var result = OwnedValue.missing
    TestDecoder().withValue(of: Array(name.utf8), in: index.record(at: ordinal).properties) {
      result = OwnedValue($0)
    }
    self = result
  }
}

extension FeatureIndex {
  func testColumn(_ name: String) -> PropertyColumn {
    PropertyColumn(named: Array(name.utf8), of: self, decoder: TestDecoder())
  }
}

extension IndexedCollection {
  func testColumn(_ name: String) -> PropertyColumn {
    column(ColumnName(Array(name.utf8)), decoder: TestDecoder())
  }
}

extension PropertyColumn {
  /// The values in the order of the index that it is a column of.
  func owned(_ index: FeatureIndex) -> [OwnedValue] {
    index.ordinals.map { OwnedValue(value(at: $0)) }
  }
}

extension SeededGenerator {
  /// Values of every type, few enough to meet again.
  mutating func propertyValue() -> TestJSON? {
    switch int(0...9) {
    case 0: nil
    case 1: .null
    case 2: .bool(chance(0.5))
    case 3, 4, 5: .number(pick(["0", "-0.0", "1", "1.0", "2.5", "-3", "1e3", "5", "1e300"]))
    case 6, 7, 8:
      .string(
        pick(["", "a", "ab", "b", "5", "null", "true", "äb", "aXb", "a%b", "AB", "ÄB", "日本", "[1]"])
      )
    default: pick([.array([.number("1")]), .object([]), .object([.init("p", .number("5"))])])
    }
  }

  /// A feature with some of the properties p, q, r (mixed), n (numbers only), s (strings only), t and u (times),
  /// at eighths of degrees, where many meet.
  mutating func propertyFeature(id: Int) -> TwinFeature {
    var members: [TestJSON.Member] = []
    for name in ["p", "q", "r"] {
      if let value = propertyValue() { members.append(.init(name, value)) }
    }
    if chance(0.8) { members.append(.init("n", .number(String(int(-5...5))))) }
    if chance(0.8) { members.append(.init("s", .string(pick(["x", "y", "z", "xy"])))) }
    for name in ["t", "u"] where chance(0.8) {
      let text = chance(0.5) ? "T\(int(0...700))" : "\(pick(["T", "D"]))\(int(0...6))"
      members.append(.init(name, .string(text)))
    }
    let longitude = chance(0.8) ? Double(int(-160...160)) : Double(int(-1440...1440))
    let latitude = chance(0.8) ? Double(int(-160...160)) : Double(int(-720...720))
    return TwinFeature(id, longitude / 8, latitude / 8, TestJSON.object(members).text)
  }

  mutating func propertyFeatures(_ count: Int) -> [TwinFeature] {
    (0..<count).map { propertyFeature(id: $0) }
  }
}
