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
    if method == .grid {
      same("cellsPerWorld", answer["cellsPerWorld"], Double(grid.cellsPerWorld))
      same("cellMapSize", answer["cellMapSize"], grid.cellMapSize, within: 1e-6)
    } else if answer["cellsPerWorld"] != .null || answer["cellMapSize"] != .null {
      found.append("a method without a grid names one")
    }
    same("featureCount", answer["featureCount"], Double(featureCount))
    if method == .collision {
      same("hiddenCount", answer["hiddenCount"], Double(hidden.count))
    } else if answer["hiddenCount"] != nil {
      found.append("hiddenCount of \(method)")
    }
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
    let isPossible = possibleExtents.contains { bbox, coordinate in
      let allowed = isCoordinateExact ? 0 : tolerance
      return box.count == 4 && !zip(box, bbox).contains(where: { abs($0 - $1) > tolerance })
        && got.isCoordinate(of: coordinate, named: "coordinate", within: allowed)
    }
    if !isPossible {
      found.append(
        "bbox is \(box), coordinate is \(got["coordinate"]?.text ?? "absent"), "
          + "not \(bbox), \(coordinate)")
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
    // Byte by byte: to Swift, texts that look alike are equal.
    if got["group"].map({ Array($0.text.utf8) }) != group.map({ Array($0.json.text.utf8) }) {
      found.append(
        "group is \(got["group"]?.text ?? "absent"), not \(group?.json.text ?? "absent")")
    }
    return found + statistics.differences(from: got)
  }

  /// Its box and coordinate, and others that are as right.
  private var possibleExtents: [(bbox: [Double], coordinate: Coordinate)] {
    let others = alternatives.map { arc in
      let longitude = isCoordinateExact ? coordinate.longitude : arc.mean
      return (
        [arc.west, bbox[1], arc.east, bbox[3]],
        Coordinate(latitude: coordinate.latitude, longitude: longitude)
      )
    }
    return [(bbox, coordinate)] + others
  }
}

extension TwinStatistics {
  /// How an annotation in JSON differs in what section 8 adds to it.
  func differences(from got: TestJSON) -> [String] {
    var found: [String] = []
    func same(_ name: String, _ value: TestJSON?, _ want: TwinNumber?) {
      let isRight = want.map { $0.isGiven(by: value) } ?? value?.isNull ?? false
      if !isRight {
        found.append(
          "\(name) is \(value?.text ?? "absent"), not \(want.map { "\($0.value)" } ?? "null")")
      }
    }
    if let weight {
      same("weight", got["weight"], weight)
    } else if got["weight"] != nil {
      found.append("weight, unasked")
    }
    let listed = got["counts"]?.members?.map { TwinCount(TwinKey($0.key), $0.value.int ?? -1) }
    let wanted = counts?.map { TwinCount($0.key, $0.count) }
    if listed != wanted { found.append("counts are \(got["counts"]?.text ?? "absent")") }
    if got["otherCount"]?.int != counts.map({ _ in otherCount }) {
      found.append("otherCount is \(got["otherCount"]?.text ?? "absent")")
    }
    let answered = got["aggregates"]?.members ?? []
    if answered.count != aggregates.count || got["aggregates"] == nil && !aggregates.isEmpty {
      found.append("aggregates are \(got["aggregates"]?.text ?? "absent")")
    }
    for (name, value) in aggregates { same(name, got["aggregates"]?[name], value) }
    return found
  }
}

private struct TwinCount: Equatable {
  let key: TwinKey
  let count: Int

  init(_ key: TwinKey, _ count: Int) { (self.key, self.count) = (key, count) }
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
