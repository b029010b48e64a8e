import ClusterCore

/// The parameters of a query, in PostgreSQL's binary form: numbers are big-endian.
struct PostgresParameters {
  /// The types of parameters, by their object identifiers, which PostgreSQL never changes (`pg_type.dat`).
  enum Kind: UInt32 {
    case boolean = 16
    case bytes = 17
    case integer = 20
    case text = 25
    case double = 701
    case booleans = 1000
    case byteStrings = 1001
    case texts = 1009
    case integers = 1016
    case doubles = 1022

    /// The type of an array's elements.
    var element: Kind? {
      switch self {
      case .booleans: .boolean
      case .byteStrings: .bytes
      case .texts: .text
      case .integers: .integer
      case .doubles: .double
      default: nil
      }
    }
  }

  private(set) var kinds: [Kind] = []
  /// The values, one after the other.
  private(set) var bytes: [UInt8] = []
  /// Where each value lies in ``bytes``; nil for NULL.
  private(set) var ranges: [Range<Int>?] = []

  mutating func add(_ values: Int64?...) {
    for value in values { add(.integer, value.map { value in { $0.bigEndian(value) } }) }
  }

  mutating func add(_ values: String?...) { for value in values { add(.text, text: value) } }

  /// Texts, as bytes.
  mutating func add(bytes values: String?...) { for value in values { add(.bytes, text: value) } }

  private mutating func add(_ kind: Kind, text: String?) {
    add(kind, text.map { text in { $0.append(contentsOf: text.utf8) } })
  }

  mutating func add(_ lists: [Int64]...) {
    for values in lists {
      var array = PostgresArray(.integers)
      for value in values { array.append(value) }
      add(array)
    }
  }

  mutating func add(_ values: [String]) {
    var array = PostgresArray(.texts)
    for value in values { array.append(bytes: value.utf8) }
    add(array)
  }

  /// Ids of features, as ``add(_:)`` has them.
  mutating func add(ids: [FeatureID]) {
    var columns = PostgresArray.IDs()
    for id in ids { id.withRawID { columns.append($0) } }
    add(columns)
  }

  /// Ids of features: their numbers, and their names.
  mutating func add(_ ids: PostgresArray.IDs) {
    add(ids.numbers)
    add(ids.names)
  }

  mutating func add(_ array: PostgresArray) {
    let kind = array.kind
    add(kind) { bytes in
      bytes.bigEndian(Int32(array.count == 0 ? 0 : 1))
      bytes.bigEndian(Int32(array.hasNull ? 1 : 0))
      bytes.bigEndian(Int32(bitPattern: kind.element?.rawValue ?? 0))
      guard array.count > 0 else { return }
      bytes.bigEndian(Int32(array.count))
      bytes.bigEndian(Int32(1))
      bytes.append(contentsOf: array.elements)
    }
  }

  private mutating func add(_ kind: Kind, _ write: ((inout [UInt8]) -> Void)?) {
    kinds.append(kind)
    let start = bytes.count
    write?(&bytes)
    ranges.append(write == nil ? nil : start..<bytes.count)
  }
}
