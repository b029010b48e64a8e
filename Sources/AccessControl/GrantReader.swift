internal import ClusterCore
internal import GeoFormats
internal import Texts

/// Reads a grant from the members of a JSON object, which are the same in key files and tokens.
struct GrantReader {
  private let object: JSONValue

  /// The names of the members.
  static let names = ["scope", "collections", "filter", "rate"]
  /// The requests a second that a limit may name.
  private static let rates = 1e-6...1e6

  /// - Throws: ``Fault`` if a name is there twice, also in a filter, so that not everybody may read the same.
  init(_ object: JSONValue) throws(Fault) {
    self.object = object
    guard object.kind == .object else { throw Fault("it is not a JSON object") }
    if GrantReader.repeatsName(object) { throw Fault("it has a member twice") }
  }

  /// Whether an object in a value, or itself, has a name twice. As deep as the parser lets values be.
  private static func repeatsName(_ value: JSONValue) -> Bool {
    switch value.kind {
    case .array: return value.elements.contains(where: repeatsName)
    case .object:
      var seen = Set<ExactText>(minimumCapacity: value.count)
      return value.members.contains { name, value in
        !seen.insert(ExactText(String(decoding: name, as: UTF8.self))).inserted
          || repeatsName(value)
      }
    default: return false
    }
  }

  /// Whether there is a member.
  func has(_ name: StaticString) -> Bool { object[name] != nil }

  /// The value of a member that must be a text if it is there.
  func text(_ name: StaticString) throws(Fault) -> String? {
    guard let value = object[name] else { return nil }
    guard let text = value.string else { throw Fault("its \(name) is not a text") }
    return text
  }

  /// The value of a member that must be a number if it is there.
  func number(_ name: StaticString) throws(Fault) -> Double? {
    guard let value = object[name] else { return nil }
    guard let number = value.number else { throw Fault("its \(name) is not a number") }
    return number
  }

  /// The texts of a member that must be a list of them, or one.
  func texts(_ name: StaticString) throws(Fault) -> [String]? {
    guard let value = object[name] else { return nil }
    if let text = value.string { return [text] }
    let texts = value.elements.map(\.string)
    guard value.kind == .array, !texts.contains(nil) else {
      throw Fault("its \(name) is not a list of texts")
    }
    return texts.compactMap(\.self)
  }

  /// The grant with a scope.
  ///
  /// - Parameter filters: those that were read before.
  func grant(_ scope: AccessScope, _ filters: inout KnownFilters) throws(Fault) -> Grant {
    let rate = try number("rate")
    if let rate, !GrantReader.rates.contains(rate) {
      throw Fault("its rate is not from 0.000001 to 1000000")
    }
    var grant = Grant(scope, collections: try patterns(), rate: rate)
    if let value = object["filter"] { grant.filter = try filters.filter(value) }
    return grant
  }

  private func patterns() throws(Fault) -> [CollectionPattern]? {
    guard let texts = try texts("collections") else { return nil }
    let patterns = texts.map { CollectionPattern($0) }
    guard !patterns.isEmpty, !patterns.contains(nil) else {
      throw Fault("its collections are not a list of ids, in which * stands for any characters")
    }
    return patterns.compactMap(\.self)
  }
}

/// The filters that were read last, so that each is read once: those of many keys are the same.
struct KnownFilters {
  /// The JSON that a filter is written in. An array of bytes would be hashed one by one.
  private struct Text: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// In normal form.
  private var filters: [Text: FilterExpression] = [:]
  /// The most that are remembered.
  private static let most = 4096

  /// Reads a filter: a text in CQL2, or CQL2 JSON.
  ///
  /// - Throws: ``Fault``, which names neither properties nor values of the filter.
  mutating func filter(_ value: JSONValue) throws(Fault) -> FilterExpression {
    let text = Text(bytes: Array(value.text))
    if let known = filters[text] { return known }
    do throws(CQL2Error) {
      let filter =
        if let text = value.string { try CQL2.normal(text) } else { try CQL2.normal(value) }
      if filters.count >= KnownFilters.most { filters = [:] }
      filters[text] = filter
      return filter
    } catch {
      throw Fault("its filter can't be read: \(KnownFilters.place(of: error))")
    }
  }

  /// The error of a filter, without its text.
  private static func place(of error: CQL2Error) -> String {
    switch error {
    case .syntax(let character, _): "it is not CQL2 at character \(character)"
    case .json(let pointer, _): "it is not CQL2 JSON\(pointer.isEmpty ? "" : " at \(pointer)")"
    case .impossible: "it holds an impossible literal"
    case .tooLarge(let detail), .tooDeep(let detail): detail
    }
  }
}
