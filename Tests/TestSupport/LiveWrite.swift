import ClusterCore

/// A write to a collection, and what it does to the features if it is carried out: all of it or
/// nothing.
public struct LiveWrite: Sendable {
  /// The method.
  public let method: String
  /// Path and query.
  public let path: String
  /// The media type of the body, nil where there is none.
  public let type: String?
  /// The body, nil where there is none.
  public let body: String?
  /// The features afterwards; nil for those that are gone.
  let changes: [FeatureID: TwinFeature?]
  /// Features that are sent without an id and get one, in order.
  let unnamed: [TwinFeature]
  /// The status of success.
  let status: Int

  init(
    _ method: String, _ path: String, type: String? = nil, body: String? = nil, status: Int,
    changes: [FeatureID: TwinFeature?] = [:], unnamed: [TwinFeature] = []
  ) {
    (self.method, self.path, self.type, self.body) = (method, path, type, body)
    (self.status, self.changes, self.unnamed) = (status, changes, unnamed)
  }

  /// The features after it. `ids` are those that the unnamed ones got.
  func applied(
    to features: [FeatureID: TwinFeature], ids: [FeatureID]
  ) -> [FeatureID: TwinFeature] {
    var result = features
    for (id, feature) in changes { result[id] = feature }
    for (id, var feature) in zip(ids, unnamed) {
      feature.id = id
      result[id] = feature
    }
    return result
  }
}

/// What a service can do beside PUT, POST and DELETE of single features, as its `Allow` fields say.
public struct LiveAbilities: Sendable {
  /// PATCH of a feature.
  public var patch = false
  /// DELETE of the features that pass a filter.
  public var deletionByFilter = false

  /// Reads the `Allow` fields of a feature and of a collection's features.
  public init(item: String, items: String) {
    patch = item.contains("PATCH")
    deletionByFilter = items.contains("DELETE")
  }
}
