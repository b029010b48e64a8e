import ClusterCore

extension TwinAnswer {
  /// How the service's JSON answer differs from this one, as sentences; empty if it doesn't.
  /// Coordinates and bounding boxes may differ by `tolerance` degrees where they are computed.
  public func differences(from answer: TestJSON, tolerance: Double = 1e-7) -> [String] {
    var found: [String] = []
    func same(_ name: String, _ got: TestJSON?, _ want: Double, within: Double = 0) {
      guard let value = got?.double, abs(value - want) <= within else {
        found.append("\(name) is \(got?.text ?? "absent"), not \(want)")
        return
      }
    }
    same("zoomLevel", answer["zoomLevel"], grid.zoomLevel, within: 1e-9)
    same("cellsPerWorld", answer["cellsPerWorld"], Double(grid.cellsPerWorld))
    same("cellMapSize", answer["cellMapSize"], grid.cellMapSize, within: 1e-6)
    same("featureCount", answer["featureCount"], Double(featureCount))
    if grid.rows.isEmpty == false {
      let (got, want) = (answer["gridRect"], grid.rect)
      same("gridRect.x", got?["x"], want.x, within: 1e-5)
      same("gridRect.y", got?["y"], want.y, within: 1e-5)
      same("gridRect.width", got?["width"], want.width, within: 1e-5)
      same("gridRect.height", got?["height"], want.height, within: 1e-5)
    }
    let got = answer["annotations"]?.array ?? []
    guard got.count == annotations.count else {
      return found + ["\(got.count) annotations, not \(annotations.count)"]
    }
    for (index, (one, want)) in zip(got, annotations).enumerated() {
      found += want.differences(from: one, tolerance: tolerance).map {
        "annotations/\(index): \($0)"
      }
    }
    if Set(got.compactMap { $0["id"]?.string }).count != got.count {
      found.append("the ids aren't unique")
    }
    return found
  }
}

extension TwinAnnotation {
  /// How an annotation in JSON differs from this one, as sentences. Its properties aren't looked at.
  public func differences(from got: TestJSON, tolerance: Double = 1e-7) -> [String] {
    var found: [String] = []
    func same(_ name: String, _ value: TestJSON?, _ want: TestJSON) {
      if (value ?? .null) != want {
        found.append("\(name) is \(value?.text ?? "absent"), not \(want.text)")
      }
    }
    same("count", got["count"], .number(String(count)))
    same("isCluster", got["isCluster"], .bool(isCluster))
    same("isUniqueLocation", got["isUniqueLocation"], .bool(isUniqueLocation))
    same("title", got["title"], .string(title))
    // A cluster whose features have no titles may say so either way.
    if subtitle != "" || got["subtitle"]?.isNull == false {
      same("subtitle", got["subtitle"], subtitle.map { .string($0) } ?? .null)
    }
    let box = (got["bbox"]?.array ?? []).compactMap(\.double)
    if box.count != 4 || zip(box, bbox).contains(where: { abs($0 - $1) > tolerance }) {
      found.append("bbox is \(box), not \(bbox)")
    }
    let allowed = isCoordinateExact ? 0 : tolerance
    if !got.isCoordinate(of: coordinate, named: "coordinate", within: allowed) {
      found.append("coordinate is \(got["coordinate"]?.text ?? "absent"), not \(coordinate)")
    }
    if let originalCoordinate {
      if !got.isCoordinate(of: originalCoordinate, named: "originalCoordinate", within: 0) {
        found.append("originalCoordinate is \(got["originalCoordinate"]?.text ?? "absent")")
      }
    } else if got["originalCoordinate"] != nil {
      found.append("originalCoordinate of a pin that isn't declustered")
    }
    same("contested", got["contested"], contested.map { .number(String($0)) } ?? .null)
    same("feature/id", got["feature"]?["id"], isCluster ? .null : features[0].idJSON)
    let listed = (got["members"]?.array ?? []).map { $0["id"] ?? .null }
    same("the ids of members", .array(listed), .array(members.map(\.idJSON)))
    return found
  }
}

extension TestJSON {
  /// Whether the member is {latitude, longitude} of this coordinate.
  public func isCoordinate(
    of want: Coordinate, named name: String = "coordinate", within tolerance: Double = 0
  ) -> Bool {
    guard let latitude = self[name]?["latitude"]?.double,
      let longitude = self[name]?["longitude"]?.double
    else { return false }
    return abs(latitude - want.latitude) <= tolerance
      && abs(longitude - want.longitude) <= tolerance
  }
}
