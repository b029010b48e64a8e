import ClusterCore
import GeoFormats

extension Fields {
  /// The annotations on screen.
  func previous(_ name: String) throws -> [PreviousAnnotation]? {
    try withJSON(name) { json in
      guard json.kind == .array else { throw problem(name, "\(name) is not an array") }
      guard json.count <= AnnotationReuse.maximumPrevious else {
        throw problem(
          name, status: 422,
          "\(name) has \(json.count) annotations, more than \(AnnotationReuse.maximumPrevious)")
      }
      var previous: [PreviousAnnotation] = []
      previous.reserveCapacity(json.count)
      var ids: Set<String> = []
      for element in json.elements {
        let one = try annotation(element, at: "\(name)/\(previous.count)")
        guard ids.insert(one.id).inserted else {
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
    guard let latitude = coordinate["latitude"]?.number else {
      throw problem("\(pointer)/coordinate/latitude", "a coordinate has a latitude, a number")
    }
    guard let longitude = coordinate["longitude"]?.number else {
      throw problem("\(pointer)/coordinate/longitude", "a coordinate has a longitude, a number")
    }
    guard (-90...90).contains(latitude) else {
      throw problem(
        "\(pointer)/coordinate/latitude", status: 422, "the latitude is outside of −90…90")
    }
    guard (-1_000_000...1_000_000).contains(longitude) else {
      throw problem(
        "\(pointer)/coordinate/longitude", status: 422,
        "the longitude is outside of −1000000…1000000")
    }
    return PreviousAnnotation(
      id: id, coordinate: Coordinate(latitude: latitude, longitude: longitude))
  }
}
