import HTTPServer
import TestSupport

/// A write of any kind, some of which are refused.
struct RandomWrite: Sendable {
  let method: HTTPMethod
  let target: String
  var body: String?
  var type: String?
  var headers: [(name: String, value: String)] = []

  init(_ method: HTTPMethod, _ target: String, _ body: String) {
    (self.method, self.target, self.body) = (method, target, body)
    type = "application/json"
  }

  init(using generator: inout SeededGenerator, mayBeLarge: Bool = true) {
    let collection = "/collections/\(generator.pick(["c", "c", "d"]))"
    let number = generator.int(1...5)
    let item = "\(collection)/items/\(generator.chance(0.8) ? "\(number)" : "t\(number)")"
    let kind = generator.int(0...(mayBeLarge ? 20 : 18))
    type = "application/json"
    switch kind {
    case 0...6:
      (method, target) = (.put, item)
      body = RandomWrite.feature(id: nil, generator.int(0...2))
    case 7...10:
      (method, target) = (.patch, item)
      body = generator.pick([
        #"{"properties":{"k":\#(generator.int(0...2))}}"#, #"{"properties":{"a":{"b":null}}}"#,
        #"{"geometry":{"coordinates":[\#(generator.int(-9...9)),1,5]}}"#, #"{"id":77}"#,
        #"{"geometry":null}"#, #"{"properties":{"k":null,"a":{"b":[1]}}}"#,
      ])
    case 11...13: (method, target) = (.delete, item)
    case 14...18:
      (method, target) = (.post, "\(collection)/items")
      let ids = (0..<generator.int(0...3)).map { _ in
        generator.pick([nil, nil, "\(generator.int(1...8))", "\"t\(number)\""])
      }
      let last = generator.chance(0.02) ? [String?.some("9007199254740991")] : []
      body =
        #"{"type":"FeatureCollection","features":["#
        + (ids + last).map { RandomWrite.feature(id: $0, generator.int(0...2)) }
        .joined(separator: ",") + "]}"
    case 19:
      (method, target) = generator.chance(0.5) ? (.delete, collection) : (.put, collection)
      body = method == .put ? #"{"title":"\#(number)"}"# : nil
    default:
      (method, target) = (.delete, "\(collection)/items?bbox=-180,-90,\(number),90&filter=k%3C2")
    }
    if kind <= 13 { headers = RandomWrite.conditions(item, using: &generator) }
  }

  private static func feature(id: String?, _ variant: Int) -> String {
    #"{"type":"Feature",\#(id.map { "\"id\":\($0)," } ?? "")"geometry":{"type":"Point","coordinates":[\#(variant),2]},"properties":{"k":\#(variant)}}"#
  }

  /// Conditions that are met or not, as the writes before have it.
  private static func conditions(
    _ item: String, using generator: inout SeededGenerator
  ) -> [(name: String, value: String)] {
    let id = item.split(separator: "/").last.map(String.init) ?? ""
    let stored = feature(id: Int(id) == nil ? "\"\(id)\"" : id, generator.int(0...2))
    let tag = "\"\(EntityTag.hash(of: Array(stored.utf8)))\""
    switch generator.int(0...9) {
    case 0: return [("If-None-Match", "*")]
    case 1: return [("If-Match", "*")]
    case 2, 3: return [("If-Match", tag)]
    case 4: return [("If-None-Match", tag)]
    default: return []
    }
  }
}
