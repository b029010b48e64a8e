import ClusterCore
import Collections
import GeoFormats
import HTTPServer

extension Resources {
  /// Deletes the features in a bbox that pass a filter, or those of some ids that do, in one transaction.
  func deleteItems(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    let fields = try Fields(query: request.query, allowed: ["bbox"] + Fields.filterNames)
    let (filter, region, datetime) = (
      try fields.filter().narrowed(to: try fields.onlyIDs()), try fields.region(),
      try fields.datetime()
    )
    guard filter != nil || region != nil || datetime != nil else {
      throw fields.problem(
        "bbox",
        "bbox, ids, filter or datetime must say what to delete; DELETE /collections/\(id) deletes everything"
      )
    }
    let deletion = ItemDeletion(
      view: catalog, id: id,
      features: FeatureDeletion(passing: filter, in: region, at: datetime),
      conditions: conditions(request, Resources.itemTypes), limits: writer.limits)
    return try deletion.isShort()
      ? .write(deletion.write()) : .soughtWrite { try deletion.lookAgain() }
  }
}

extension Fields {
  /// The bbox of a list of features, if there is one.
  func region() throws -> DegreesRegion? {
    guard let values = try numbers("bbox") else { return nil }
    let bbox = try bboxValues(values, sixAllowed: true)
    return try DegreesRegion(west: bbox.west, south: bbox.south, east: bbox.east, north: bbox.north)
  }
}
