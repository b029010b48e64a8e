import ClusterCore
import GeoFormats
import Texts

extension Fields {
  /// The most elements of any list. Most lists take fewer.
  static let maximumElements = 10_000

  /// Refuses a list or object that has too many elements.
  func checkCount(
    _ count: Int, _ kind: StaticString, of name: String, atMost maximum: Int
  ) throws(Problem) {
    guard count > maximum else { return }
    throw problem(name, status: 422, "\(name) has \(count) \(kind), more than \(maximum)")
  }

  /// The most properties that a query may name as parameters, beside which a filter has others.
  static let mostProperties = FilterExpression.maximumProperties

  /// The members of an object with a JSON pointer to each; 400 if a name occurs twice.
  func members(
    of json: JSONValue, at pointer: String
  ) throws(Problem) -> [(name: String, pointer: String, value: JSONValue)] {
    guard json.kind == .object else { throw problem(pointer, "\(pointer) is not an object") }
    var members: [(String, String, JSONValue)] = []
    var seen: Set<ExactText> = []
    for (key, value) in json.members {
      let name = String(decoding: key, as: UTF8.self)
      let location = "\(pointer)/\(shown(name))"
      guard seen.insert(ExactText(name)).inserted else {
        throw problem(location, "\(shown(name)) is given twice")
      }
      members.append((name, location, value))
    }
    return members
  }
}
