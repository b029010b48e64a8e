import FeatureStore
import GeoFormats

extension Fields {
  /// The properties with the times of features: one, or two for start and end.
  func temporalProperties(_ name: String) throws -> TemporalProperties? {
    try withJSON(name) { json in
      let fields = try object(json, at: name, allowed: ["property", "start", "end"])
      for (member, value) in json.members where value.kind == .null {
        throw fields.problem(
          String(decoding: member, as: UTF8.self), "the name of a property is text")
      }
      func property(_ member: String) throws(Problem) -> String? {
        try fields.property(member).map { String(decoding: $0, as: UTF8.self) }
      }
      switch (try property("property"), try property("start"), try property("end")) {
      case (let property?, nil, nil): return .instant(property)
      case (nil, let start?, let end?): return .span(start: start, end: end)
      default:
        throw problem(name, "\(name) is {\"property\": name} or {\"start\": name, \"end\": name}")
      }
    }
  }
}
