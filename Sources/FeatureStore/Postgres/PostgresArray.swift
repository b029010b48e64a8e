import ClusterCore

/// An array of values, as a parameter holds it.
struct PostgresArray {
  let kind: PostgresParameters.Kind
  private(set) var count = 0
  private(set) var hasNull = false
  /// Each element's length and bytes.
  private(set) var elements: [UInt8] = []

  init(_ kind: PostgresParameters.Kind) { self.kind = kind }

  mutating func append(_ value: Int64?) {
    guard let value else { return appendNull() }
    count += 1
    elements.bigEndian(Int32(8))
    elements.bigEndian(value)
  }

  mutating func append(_ value: Double) { append(Int64(bitPattern: value.bitPattern)) }

  mutating func append(_ value: Bool) {
    count += 1
    elements.bigEndian(Int32(1))
    elements.append(value ? 1 : 0)
  }

  mutating func append(bytes: some Collection<UInt8>) {
    count += 1
    elements.bigEndian(Int32(bytes.count))
    elements.append(contentsOf: bytes)
  }

  mutating func appendNull() {
    (count, hasNull) = (count + 1, true)
    elements.bigEndian(Int32(-1))
  }

  /// Two arrays with ids of features, as in the columns of the same names: an integer id is a number with an empty name, a
  /// text is a name with the largest number there is.
  struct IDs {
    private(set) var numbers = PostgresArray(.integers)
    private(set) var names = PostgresArray(.texts)

    var count: Int { numbers.count }

    mutating func append(_ id: FeatureRecord.RawID) {
      switch id {
      case .integer(let value, _):
        numbers.append(value)
        names.append(bytes: [])
      case .text(let bytes):
        numbers.append(Int64.max)
        names.append(bytes: bytes)
      }
    }
  }
}

extension [UInt8] {
  /// Appends a number, its most significant byte first.
  mutating func bigEndian(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
