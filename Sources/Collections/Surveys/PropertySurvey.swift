import ClusterCore
import GeoFormats
import Texts
import Threading

/// The properties that the features of a collection have, with the kinds of their values.
package struct PropertySurvey: Sendable {
  /// The kinds of values of a property that were seen.
  package struct Kinds: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let string = Kinds(rawValue: 1)
    package static let integer = Kinds(rawValue: 2)
    package static let number = Kinds(rawValue: 4)
    package static let boolean = Kinds(rawValue: 8)
    package static let array = Kinds(rawValue: 16)
    package static let object = Kinds(rawValue: 32)
    package static let null = Kinds(rawValue: 64)
  }

  /// The formats, as JSON Schema names them, that all texts of a property have.
  package struct Formats: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A date-time of RFC 3339.
    package static let dateTime = Formats(rawValue: 1)
    /// A date such as 2026-07-01.
    package static let date = Formats(rawValue: 2)
    package static let all: Formats = [.dateTime, .date]
  }

  /// A property that some feature has.
  package struct Property: Hashable, Sendable {
    package let name: String
    /// Its name as JSON text, as it was seen first.
    fileprivate let text: [UInt8]
    package fileprivate(set) var kinds: Kinds = []
    /// The formats of every string seen; all formats as long as there is none.
    package fileprivate(set) var formats = Formats.all
    /// Whether some integer doesn't fit 32 bits.
    package fileprivate(set) var hasLongIntegers = false
  }

  /// The most properties in a survey, and the longest name of one, in bytes.
  package static let (mostProperties, longestName) = (1000, 256)

  /// The properties in the order in which features in index order bring them.
  package private(set) var properties: [Property] = []
  /// Whether these are all properties.
  package private(set) var isComplete = true
  /// The kinds of ids.
  package private(set) var ids: Kinds = []
  private var numbers: [ExactText: Int] = [:]

  /// A survey of nothing.
  package init() {}

  /// Looks at all features. O(bytes of all properties), in memory for the told properties. After a cancellation
  /// the result is meaningless.
  init(of index: FeatureIndex) {
    index.points.forEachRun { look(at: $0, of: index) }
  }

  /// Looks at some features.
  mutating func look(at run: Range<Int>, of index: FeatureIndex) {
    for ordinal in run {
      let record = index.record(at: ordinal)
      let text = record.properties
      if case .integer(_, writtenAsText: false) = record.rawID {
        ids.insert(.integer)
      } else {
        ids.insert(.string)
      }
      if Cancellation.poll(50 &+ text.count) { return }
      look(at: text)
    }
  }

  /// Adds the survey of features that come after these. The result equals a survey of all of them if the other
  /// one is complete.
  mutating func add(_ other: PropertySurvey) {
    isComplete = isComplete && other.isComplete
    ids.formUnion(other.ids)
    for property in other.properties {
      guard let number = numbers[ExactText(property.name)] else {
        if properties.count < PropertySurvey.mostProperties {
          numbers[ExactText(property.name)] = properties.count
          properties.append(property)
        } else {
          isComplete = false
        }
        continue
      }
      properties[number].kinds.formUnion(property.kinds)
      properties[number].formats.formIntersection(property.formats)
      if property.hasLongIntegers { properties[number].hasLongIntegers = true }
    }
  }

  /// The approximate memory that it takes, in bytes.
  package var byteCount: Int {
    properties.reduce(256) { $0 + 160 + 2 * $1.text.count + 2 * $1.name.utf8.count }
  }

  private mutating func look(at object: UnsafeRawBufferPointer) {
    // Most features have the same properties in the same order.
    var next = 0
    for (name, value) in PropertyReader.Members(of: object) {
      let number: Int
      if next < properties.count, properties[next].text.elementsEqual(name) {
        number = next
      } else if let found = self.number(of: name) {
        number = found
      } else {
        isComplete = false
        continue
      }
      next = number + 1
      let kind = Kinds(of: value)
      properties[number].kinds.insert(kind)
      // Shorter ones fit.
      if kind == .integer, value.count > 9, !properties[number].hasLongIntegers {
        let text = String(decoding: value.prefix(12), as: UTF8.self)
        properties[number].hasLongIntegers = value.count > 11 || Int32(text) == nil
      }
      if kind == .string, !properties[number].formats.isEmpty {
        properties[number].formats.formIntersection(Formats(ofText: value))
      }
    }
  }

  /// The number of a property by the JSON text of its name; it is added if it is new. Nil if there are too many,
  /// or it is too long.
  private mutating func number(of text: UnsafeRawBufferPointer) -> Int? {
    guard text.count <= 6 * PropertySurvey.longestName + 2 else { return nil }
    let name = String(decoding: JSONScanner.unescape(text), as: UTF8.self)
    if let number = numbers[ExactText(name)] { return number }
    guard name.utf8.count <= PropertySurvey.longestName,
      properties.count < PropertySurvey.mostProperties
    else { return nil }
    numbers[ExactText(name)] = properties.count
    properties.append(Property(name: name, text: Array(text)))
    return properties.count - 1
  }
}

extension PropertySurvey.Formats {
  /// The formats of a string, by its JSON text.
  fileprivate init(ofText text: UnsafeRawBufferPointer) {
    let inner = UnsafeRawBufferPointer(rebasing: text.dropFirst().dropLast())
    if DateTime.milliseconds(inner) != nil {
      self = .dateTime
    } else {
      self = DateTime.extent(inner) == nil ? [] : .date
    }
  }
}

extension PropertySurvey.Kinds {
  /// The kind of a value by its JSON text.
  fileprivate init(of text: UnsafeRawBufferPointer) {
    switch text.first {
    case UInt8(ascii: "\""): self = .string
    case UInt8(ascii: "["): self = .array
    case UInt8(ascii: "{"): self = .object
    case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
    case UInt8(ascii: "n"): self = .null
    default:
      let isInteger = text.allSatisfy { $0 == UInt8(ascii: "-") || ($0 >= 0x30 && $0 <= 0x39) }
      self = isInteger ? .integer : .number
    }
  }
}
