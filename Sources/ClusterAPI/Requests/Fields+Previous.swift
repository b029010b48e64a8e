import ClusterCore
import GeoFormats
import Texts

extension Fields {
  /// The annotations on screen.
  func previous(_ name: String) throws -> [PreviousAnnotation]? {
    try withJSON(name) { json in
      guard json.kind == .array else { throw problem(name, "\(name) is not an array") }
      try checkCount(
        json.count, "annotations", of: name, atMost: AnnotationReuse.maximumPrevious)
      var previous: [PreviousAnnotation] = []
      previous.reserveCapacity(json.count)
      var ids: Set<ExactText> = []
      for element in json.elements {
        let one = try annotation(element, at: "\(name)/\(previous.count)")
        guard ids.insert(ExactText(one.id)).inserted else {
          throw problem(
            "\(name)/\(previous.count)/id", status: 422, "the id is given twice in \(name)")
        }
        previous.append(one)
      }
      return previous
    }
  }

  /// Other members are ignored, so that annotations can be sent back as they came.
  private func annotation(
    _ json: JSONValue, at pointer: String
  ) throws(Problem) -> PreviousAnnotation {
    guard json.kind == .object else { throw problem(pointer, "an annotation is an object") }
    guard let id = json["id"]?.string else {
      throw problem("\(pointer)/id", "an annotation has an id, a string")
    }
    guard let coordinate = json["coordinate"], coordinate.kind == .object else {
      throw problem("\(pointer)/coordinate", "an annotation has a coordinate, an object")
    }
    func degrees(_ name: StaticString) throws(Problem) -> Double {
      if let degrees = coordinate[name]?.number { return degrees }
      throw problem("\(pointer)/coordinate/\(name)", "a coordinate has a \(name), a number")
    }
    let (latitude, longitude) = (try degrees("latitude"), try degrees("longitude"))
    for (name, value, limit) in [("latitude", latitude, 90), ("longitude", longitude, 1_000_000)]
    where value.magnitude > Double(limit) {
      throw problem(
        "\(pointer)/coordinate/\(name)", status: 422, "the \(name) is outside of −\(limit)…\(limit)"
      )
    }
    return PreviousAnnotation(
      id: id, coordinate: Coordinate(latitude: latitude, longitude: longitude))
  }
}
