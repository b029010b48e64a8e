@testable import ClusterCore

/// A time of tests: the text `T123` is an instant, and `D2` is the day from 200 to 299.
struct TestTime: Equatable, Comparable {
  var first: Double
  var last: Double

  init?(_ text: [UInt8]) {
    guard let number = Double(String(decoding: text.dropFirst(), as: UTF8.self)) else { return nil }
    switch text.first {
    case UInt8(ascii: "T"): (first, last) = (number, number)
    case UInt8(ascii: "D"): (first, last) = (number * 100, number * 100 + 99)
    default: return nil
    }
  }

  init?(_ operand: FilterExpression.Operand, _ value: ([UInt8]) -> OwnedValue) {
    switch operand {
    case .time(let time): (first, last) = (time.first, time.last)
    case .property(let name):
      guard case .string(let text) = value(name), let time = TestTime(text) else { return nil }
      self = time
    default: return nil
    }
  }

  static func ends(
    _ span: TimeSpan, _ value: ([UInt8]) -> OwnedValue
  ) -> (start: TestTime, end: TestTime)? {
    func end(_ end: TimeSpan.End) -> TestTime? {
      switch end {
      case .time(let time): TestTime(.time(time), value)
      case .property(let name): TestTime(.property(name), value)
      }
    }
    guard let start = end(span.start), let end = end(span.end) else { return nil }
    return (start, end)
  }

  static func < (a: TestTime, b: TestTime) -> Bool { a.last < b.first }

  /// The table of the standard.
  static func holds(
    _ relation: TimeRelation, _ a: (start: TestTime, end: TestTime),
    _ b: (start: TestTime, end: TestTime)
  ) -> Bool {
    switch relation {
    case .after: b.end < a.start
    case .before: a.end < b.start
    case .contains: a.start < b.start && b.end < a.end
    case .disjoint: a.end < b.start || b.end < a.start
    case .during: b.start < a.start && a.end < b.end
    case .equals: a.start == b.start && a.end == b.end
    case .finishedBy: a.start < b.start && a.end == b.end
    case .finishes: b.start < a.start && a.end == b.end
    case .intersects: !(a.end < b.start) && !(b.end < a.start)
    case .meets: a.end == b.start
    case .metBy: a.start == b.end
    case .overlappedBy: b.start < a.start && a.start < b.end && b.end < a.end
    case .overlaps: a.start < b.start && b.start < a.end && a.end < b.end
    case .startedBy: a.start == b.start && b.end < a.end
    case .starts: a.start == b.start && a.end < b.end
    }
  }
}

/// Reads such times.
struct TestTimeDecoder: PropertyDecoder {
  let reading: ColumnName.Reading

  func withValue(
    of name: [UInt8], in properties: UnsafeRawBufferPointer, _ body: (PropertyValue) -> Void
  ) {
    TestDecoder().withValue(of: name, in: properties) { value in
      guard case .string(let text) = value, let time = TestTime(Array(text)) else {
        return body(.missing)
      }
      if reading == .times { return body(.number(time.first)) }
      body(text.first == UInt8(ascii: "D") ? .number(time.last) : .missing)
    }
  }
}

extension FeatureIndex {
  func testColumn(_ name: ColumnName) -> PropertyColumn {
    name.reading == .values
      ? PropertyColumn(named: name.property, of: self, decoder: TestDecoder())
      : PropertyColumn(
        named: name.property, of: self, decoder: TestTimeDecoder(reading: name.reading))
  }
}

extension IndexedCollection {
  func testColumn(_ name: ColumnName) -> PropertyColumn {
    name.reading == .values
      ? column(name, decoder: TestDecoder())
      : column(name, decoder: TestTimeDecoder(reading: name.reading))
  }
}
