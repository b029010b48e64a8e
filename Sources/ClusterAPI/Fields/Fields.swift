import ClusterCore
import GeoFormats
import Texts

/// The named values of a request, from a JSON body or from a query: one set of rules for both.
///
/// A name that isn't allowed, a name given twice and a value of the wrong type are errors with the status
/// 400 that name the field. JSON null is the same as an absent field.
struct Fields {
  private enum Value {
    case json(JSONValue)
    /// Text of the query, percent-encoded.
    case query(EncodedText)
  }

  private struct Entry {
    let name: String
    let value: Value
  }

  /// Whether the fields come from a body, which decides how errors point at them.
  let inBody: Bool
  /// The beginning of pointers to members of an object.
  private var prefix = ""
  private var values: [Entry] = []
  /// A bit for each length of a given name. It rules out most fields that aren't given without a comparison of
  /// names.
  private var lengths: UInt64 = 0

  /// Names of a query that aren't fields, if those are taken for properties.
  private(set) var properties: [String] = []

  /// The fields of a query.
  ///
  /// - Parameter othersAreProperties: whether other names than the allowed ones are those of properties.
  init(query: String?, allowed: [String], othersAreProperties: Bool = false) throws(Problem) {
    inBody = false
    guard let query else { return }
    values.reserveCapacity(4)
    for part in EncodedText(query).parts(separatedBy: UInt8(ascii: "&")) where !part.isEmpty {
      let (rawName, value) = part.split(at: UInt8(ascii: "="))
      guard let name = rawName.decoded(plusIsSpace: true) else {
        throw Problem(400, "the query holds a broken percent escape")
      }
      if othersAreProperties, !allowed.contains(name), properties.count <= Fields.mostProperties {
        properties.append(name)
        try add(name, .query(value), [name])
      } else {
        try add(name, .query(value), allowed)
      }
    }
  }

  /// The fields of a JSON object. They are valid until the parser that made it is used again.
  init(object: JSONValue, allowed: [String]) throws(Problem) {
    inBody = true
    guard object.kind == .object else { throw Problem(400, "the body is not a JSON object") }
    for (key, value) in object.members {
      try add(String(decoding: key, as: UTF8.self), .json(value), allowed)
    }
  }

  private mutating func add(_ name: String, _ value: Value, _ allowed: [String]) throws(Problem) {
    guard allowed.contains(where: { $0.utf8.count == name.utf8.count && $0 == name }) else {
      throw problem(shown(name), "the name is unknown here")
    }
    guard !values.contains(where: { $0.name.isSame(as: name) }) else {
      throw problem(name, "\(name) is given twice")
    }
    lengths |= Fields.lengthBit(name)
    values.append(Entry(name: name, value: value))
  }

  /// A bit for the length of a name.
  @inline(__always)
  static func lengthBit(_ name: String) -> UInt64 { 1 << UInt64(name.utf8.count & 63) }

  /// Whether a name with one of some lengths is given.
  func mayHaveName(ofLengths bits: UInt64) -> Bool { lengths & bits != 0 }

  // Allowed names are ASCII, to which no other text of as many bytes is equal.
  private func index(of name: String) -> Int? {
    values.firstIndex { $0.name.utf8.count == name.utf8.count && $0.name == name }
  }

  /// A problem with one of the fields.
  func problem(_ name: String, status: Int = 400, _ detail: String) -> Problem {
    Problem(status, field: prefix + name, inBody: inBody, detail)
  }

  /// An unknown name as part of a pointer: shortened, and escaped in a JSON pointer.
  func shown(_ name: String) -> String {
    name.shortened(to: 100).escaped { byte in
      switch byte {
      case UInt8(ascii: "~") where inBody: "~0"
      case UInt8(ascii: "/") where inBody: "~1"
      default: nil
      }
    }
  }

  @inline(__always) private func value(_ name: String) -> Value? {
    lengths & Fields.lengthBit(name) == 0 ? nil : found(name)
  }

  @inline(never) private func found(_ name: String) -> Value? {
    guard let index = index(of: name) else { return nil }
    if case .json(let json) = values[index].value, json.kind == .null { return nil }
    return values[index].value
  }

  /// Whether a field is given and not null.
  func has(_ name: String) -> Bool { value(name) != nil }

  private func decoded(_ name: String, _ text: EncodedText) throws(Problem) -> String {
    guard let decoded = text.decoded(plusIsSpace: true) else {
      throw problem(name, "\(name) holds a broken percent escape")
    }
    return decoded
  }

  // MARK: Plain values

  /// A finite number.
  func number(_ name: String) throws(Problem) -> Double? {
    switch value(name) {
    case nil: return nil
    case .json(let json):
      guard let number = json.number else { throw problem(name, "\(name) is not a number") }
      return number
    case .query(let text):
      if let number = text.plainNumber { return number }
      return try number(name, try decoded(name, text))
    }
  }

  private func number(_ name: String, _ text: some StringProtocol) throws(Problem) -> Double {
    let text = text.trimmed
    // Double(_:) also takes "nan", "inf" and hexadecimal numbers.
    let isPlain = text.utf8.allSatisfy { $0.isDigit || "+-.eE".utf8.contains($0) }
    guard isPlain, let number = Double(text), number.isFinite else {
      throw problem(name, "\(name) is not a number")
    }
    return number
  }

  /// An integer of any size; 3.0 is one, 3.5 is not.
  func wholeNumber(_ name: String) throws(Problem) -> Double? {
    guard let number = try number(name) else { return nil }
    guard number == number.rounded() else { throw problem(name, "\(name) is not an integer") }
    return number
  }

  /// An integer; 422 where a double doesn't hold it exactly.
  func integer(_ name: String) throws(Problem) -> Int? {
    guard let number = try wholeNumber(name) else { return nil }
    guard number.magnitude <= 9_007_199_254_740_991 else {
      throw problem(name, status: 422, "\(name) is beyond ±(2^53−1)")
    }
    return Int(number)
  }

  /// An integer within a range; 422 outside of it.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let value = try integer(name) else { return nil }
    guard range.contains(value) else {
      throw problem(
        name, status: 422,
        "\(name) is \(value), outside of \(range.lowerBound)…\(range.upperBound)")
    }
    return value
  }

  /// A boolean.
  func bool(_ name: String) throws(Problem) -> Bool? {
    switch value(name) {
    case nil: return nil
    case .json(let json):
      guard let bool = json.bool else { throw problem(name, "\(name) is not a boolean") }
      return bool
    case .query(let text):
      switch try decoded(name, text) {
      case "true": return true
      case "false": return false
      default: throw problem(name, "\(name) is neither true nor false")
      }
    }
  }

  /// A string.
  func string(_ name: String) throws(Problem) -> String? {
    switch value(name) {
    case nil: return nil
    case .json(let json):
      guard let string = json.string else { throw problem(name, "\(name) is not a string") }
      return string
    case .query(let text): return try decoded(name, text)
    }
  }

  /// One of an enumeration's values.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Choice.Type
  ) throws(Problem) -> Choice? where Choice.RawValue == String {
    guard let text = try string(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw problem(name, "\(name) is none of \(names)")
    }
    return choice
  }

  // MARK: Lists

  /// The elements of a JSON array that are all of one type. `detail` is the error for any other value, without
  /// the name.
  private func elements<Element>(
    of json: JSONValue, _ name: String, _ detail: StaticString,
    _ read: (JSONValue) -> Element?
  ) throws(Problem) -> [Element] {
    guard json.kind == .array else { throw problem(name, "\(name) \(detail)") }
    try checkCount(json.count, "elements", of: name, atMost: Fields.maximumElements)
    var elements: [Element] = []
    for json in json.elements {
      guard let element = read(json) else {
        throw problem("\(name)/\(elements.count)", "\(name) \(detail)")
      }
      elements.append(element)
    }
    return elements
  }

  /// A list of numbers: a JSON array, or comma-separated.
  func numbers(_ name: String) throws(Problem) -> [Double]? {
    switch value(name) {
    case nil: return nil
    case .json(let json):
      return try elements(of: json, name, "is not an array of numbers") { $0.number }
    case .query(let text):
      if let numbers = text.plainNumbers(atMost: Fields.mostNumbers) { return numbers }
      let parts = try parts(name, text, atMost: Fields.mostNumbers, status: 400)
      return try parts.map { (part) throws(Problem) in try number(name, part) }
    }
  }

  /// A list of strings: a JSON array, or comma-separated. `isString` tells a single string from a list.
  func strings(_ name: String) throws(Problem) -> (list: [String], isString: Bool)? {
    switch value(name) {
    case nil: return nil
    case .json(let json):
      if let string = json.string { return ([string], true) }
      return (try elements(of: json, name, "is not a list of strings") { $0.string }, false)
    case .query(let text):
      let strings = try list(name, text)
      return (strings, strings.count == 1)
    }
  }

  /// A list of feature ids: a JSON array of integers and strings, or comma-separated.
  func featureIDs(_ name: String) throws(Problem) -> [FeatureID]? {
    var ids: [FeatureID] = []
    do {
      switch value(name) {
      case nil: return nil
      case .json(let json):
        guard json.kind == .array else { throw problem(name, "\(name) is not a list of ids") }
        try checkCount(json.count, "elements", of: name, atMost: Fields.maximumElements)
        for element in json.elements {
          if let number = element.number {
            ids.append(try FeatureID(number: number))
          } else if let text = element.stringBytes {
            ids.append(try FeatureID(text: text))
          } else {
            throw problem("\(name)/\(ids.count)", "an id is a string or an integer")
          }
        }
      case .query(let text):
        for part in try list(name, text) {
          ids.append(try FeatureID(bareText: part.utf8))
        }
      }
    } catch let error as FeatureID.Invalid {
      // A fraction is of the wrong type; the other ids are out of range.
      let status = if case .notAnInteger = error { 400 } else { 422 }
      throw problem(inBody ? "\(name)/\(ids.count)" : name, status: status, error.reason)
    } catch let error as Problem {
      throw error
    } catch {
      throw problem(name, "\(name) is not a list of ids")
    }
    return ids
  }

  /// The most numbers of a list in a query: no list needs more than six.
  private static let mostNumbers = 64
  /// The elements of a comma-separated list. Most clients escape the commas, so they are looked for in the
  /// decoded text. An element that holds a comma can be sent in a body only.
  private func list(_ name: String, _ text: EncodedText) throws(Problem) -> [String] {
    try parts(name, text, atMost: Fields.maximumElements, status: 422).map { String($0) }
  }

  private func parts(
    _ name: String, _ text: EncodedText, atMost most: Int, status: Int
  ) throws(Problem) -> [Substring] {
    let decoded = try decoded(name, text)
    let parts =
      decoded.isEmpty ? [] : decoded.parts(separatedBy: UInt8(ascii: ","), atMost: most + 1)
    if parts.count <= most { return parts }
    throw problem(name, status: status, "\(name) has more than \(most) elements")
  }

  // MARK: Objects

  /// Lends an array or object: a JSON value in a body, JSON text in a query.
  func withJSON<R>(_ name: String, _ body: (JSONValue) throws -> R) throws -> R? {
    switch value(name) {
    case nil: return nil
    case .json(let json): return try body(json)
    case .query(let text):
      let bytes = Array(try decoded(name, text).utf8)
      let parser = JSONParser()
      return try bytes.withUnsafeBytes { bytes in
        let json: JSONValue
        do {
          json = try parser.parse(bytes)
        } catch {
          throw problem(name, "\(name) is not JSON text: \(error)")
        }
        return json.kind == .null ? nil : try body(json)
      }
    }
  }

  /// The fields of an object within a value. Errors point below the given pointer.
  func object(_ json: JSONValue, at pointer: String, allowed: [String]) throws(Problem) -> Fields {
    guard json.kind == .object else { throw problem(pointer, "\(pointer) is not an object") }
    var fields = self
    (fields.values, fields.lengths) = ([], 0)
    fields.prefix = "\(pointer)/"
    for (key, value) in json.members {
      try fields.add(String(decoding: key, as: UTF8.self), .json(value), allowed)
    }
    return fields
  }

  /// Numbers that are named in a body (`{"x":1,"center":{"latitude":2}}`) and ordered in a query (`1,2`). A
  /// path with a slash names a member of a member.
  func namedNumbers(_ name: String, _ paths: [String]) throws(Problem) -> [Double]? {
    switch value(name) {
    case nil: return nil
    case .query:
      guard let numbers = try numbers(name) else { return nil }
      guard numbers.count == paths.count else {
        throw problem(name, "\(name) is \(paths.joined(separator: ",")): \(paths.count) numbers")
      }
      return numbers
    case .json(let json):
      try checkMembers(json, name, paths)
      var numbers: [Double] = []
      for path in paths {
        var part: JSONValue? = json
        for step in path.parts(separatedBy: UInt8(ascii: "/")) {
          part = Array(step.utf8).withUnsafeBytes { part?[utf8: $0] }
        }
        guard let number = part?.number else {
          throw problem(
            "\(name)/\(path)", part == nil ? "\(path) is missing" : "\(path) is not a number")
        }
        numbers.append(number)
      }
      return numbers
    }
  }
}
