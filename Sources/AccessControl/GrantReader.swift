internal import ClusterCore
internal import GeoFormats

/// Reads the members of a JSON object that say what is granted, which key files and tokens have in common.
struct GrantReader {
  private let object: JSONValue

  /// The names of the members.
  static let names = ["scope", "collections", "filter", "rate"]
  /// The requests a second that a limit may name.
  private static let rates = 1e-6...1e6

  /// - Throws: ``Fault`` if a name is there twice, so that not everybody may read the same.
  init(_ object: JSONValue) throws(Fault) {
    self.object = object
    guard object.kind == .object else { throw Fault("it is not a JSON object") }
    var seen: Set<String> = []
    for (key, _) in object.members {
      let name = String(decoding: key, as: UTF8.self)
      guard seen.insert(name).inserted else { throw Fault("it has a member twice") }
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

  /// What is granted with a scope.
  func grant(_ scope: AccessScope) throws(Fault) -> Grant {
    let rate = try number("rate")
    if let rate, !GrantReader.rates.contains(rate) {
      throw Fault("its rate is not from 0.000001 to 1000000")
    }
    return Grant(scope, collections: try patterns(), filter: try filter(), rate: rate)
  }

  private func patterns() throws(Fault) -> [CollectionPattern]? {
    guard let texts = try texts("collections") else { return nil }
    let patterns = texts.map { CollectionPattern($0) }
    guard !patterns.isEmpty, !patterns.contains(nil) else {
      throw Fault("its collections are not a list of ids, in which * stands for any characters")
    }
    return patterns.compactMap(\.self)
  }

  private func filter() throws(Fault) -> FilterExpression? {
    guard let value = object["filter"] else { return nil }
    do throws(CQL2Error) {
      if let text = value.string { return try CQL2.parse(text) }
      return try CQL2.parse(value)
    } catch {
      throw Fault("its filter can't be read: \(error)")
    }
  }
}
