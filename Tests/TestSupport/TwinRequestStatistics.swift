import ClusterCore

/// The settings of one group.
public struct TwinGroupSettings: Sendable {
  /// The group's key, `null` for those without a value.
  public var key: String
  /// In place of the request's, nil for that.
  public var cellSize: Double?
  /// In place of the request's, nil for that.
  public var clusterer: TwinRequest.Clusterer?
  /// In place of the request's, nil for that.
  public var maxZoomLevelForClustering: Double?
  /// In place of the request's, nil for that.
  public var minUniqueLocationsForClustering: Int?
  /// In place of the request's, nil for that.
  public var minPoints: Int?

  /// Settings that change nothing yet.
  public init(_ key: String) { self.key = key }

  var json: TestJSON {
    var out: [TestJSON.Member] = []
    func add(_ name: String, _ value: TestJSON?) {
      if let value { out.append(.init(name, value)) }
    }
    add("cellSize", cellSize.map { TestJSON($0) })
    add("clusterer", clusterer.map { .string($0.rawValue) })
    add("maxZoomLevelForClustering", maxZoomLevelForClustering.map { TestJSON($0) })
    add(
      "minUniqueLocationsForClustering",
      minUniqueLocationsForClustering.map { .number(String($0)) })
    add("minPoints", minPoints.map { .number(String($0)) })
    return .object(out)
  }
}

/// The size of a marker in points.
public struct TwinMarkerSize: Sendable {
  /// From west to east.
  public var width: Double
  /// From north to south.
  public var height: Double

  /// A size.
  public init(_ width: Double, _ height: Double) { (self.width, self.height) = (width, height) }
}

/// An annotation on screen.
public struct TwinPrevious: Sendable {
  /// Its id.
  public var id: String
  /// Where it stands.
  public var coordinate: Coordinate

  /// An annotation on screen.
  public init(_ id: String, _ coordinate: Coordinate) {
    (self.id, self.coordinate) = (id, coordinate)
  }

  /// One as a service answered it; nil if it has no id or coordinate.
  public init?(answered annotation: TestJSON) {
    guard let id = annotation["id"]?.string, let coordinate = annotation["coordinate"],
      let latitude = coordinate["latitude"]?.double, let longitude = coordinate["longitude"]?.double
    else { return nil }
    self.init(id, Coordinate(latitude: latitude, longitude: longitude))
  }

  var json: TestJSON {
    [
      "id": .string(id),
      "coordinate": [
        "latitude": TestJSON(coordinate.latitude), "longitude": TestJSON(coordinate.longitude),
      ],
    ]
  }
}

extension TwinRequest {
  /// The request as it is for one group.
  public func settings(of group: TwinGroup?) -> TwinRequest {
    guard let group,
      let own = groups.first(where: { TwinKey($0.key) == group.key ?? TwinKey("null") })
    else { return self }
    var request = self
    request.cellSize = own.cellSize ?? cellSize
    request.clusterer = own.clusterer ?? clusterer
    request.maxZoomLevelForClustering = own.maxZoomLevelForClustering ?? maxZoomLevelForClustering
    request.minUniqueLocationsForClustering =
      own.minUniqueLocationsForClustering ?? minUniqueLocationsForClustering
    request.minPoints = own.minPoints ?? minPoints
    return request
  }

  /// The fields of sections 6 and 8. Defaults are left out.
  var statisticsMembers: [TestJSON.Member] {
    var out: [TestJSON.Member] = []
    func add(_ name: String, _ value: TestJSON?) {
      if let value { out.append(.init(name, value)) }
    }
    add("filter", filter.map { .string($0.text(filterStyle)) })
    add("weightBy", weightBy.map { .string($0) })
    add("groupBy", groupBy.map { .string($0) })
    if !groups.isEmpty { add("groups", .object(groups.map { .init($0.key, $0.json) })) }
    add("countBy", countBy.map { .string($0) })
    if !aggregate.isEmpty {
      let members = aggregate.map { one in
        TestJSON.Member(one.name, [.string(one.operation.rawValue), .string(one.property)])
      }
      add("aggregate", .object(members))
    }
    if method != .grid { add("method", .string(method.rawValue)) }
    add("epsilon", epsilon.map { TestJSON($0) })
    add("markerSize", markerSize.map { [TestJSON($0.width), TestJSON($0.height)] })
    add("priorityBy", priorityBy.map { .string($0) })
    add("clusterBy", clusterBy.map { .string($0) })
    add("previous", previous.map { .array($0.map(\.json)) })
    return out
  }
}
