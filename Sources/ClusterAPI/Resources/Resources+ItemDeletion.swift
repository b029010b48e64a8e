import ClusterCore
import GeoFormats
import HTTPServer

extension Resources {
  /// Deletes the features in a bbox that pass a filter, or those of some ids that do, in one transaction.
  func deleteItems(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    let fields = try Fields(query: request.query, allowed: ["bbox"] + Fields.filterNames)
    let given = try fields.filter().narrowed(to: try fields.onlyIDs())
    let datetime = try fields.datetime()
    let region = try fields.region()
    guard given != nil || region != nil || datetime != nil else {
      throw fields.problem(
        "bbox",
        "bbox, ids, filter or datetime must say what to delete; DELETE /collections/\(id) deletes everything"
      )
    }
    let write = Write.alone(by: catalog, in: id, makesRoom: true) { group in
      guard let collection = try group.snapshot(id)?.collection else { throw Problem.noCollection }
      let filter = given.narrowed(to: datetime, of: group.temporal(of: id))
      guard filter != nil || region != nil else { throw Resources.noTimes }
      let ordinals = try Resources.ordinals(in: region, passing: filter, of: collection)
      let ids = ordinals.map { collection.index.record(at: $0).id }
      // Of the features before, as those that have a property may all go.
      let notes = PropertyNotes(filter: filter).sentences(in: collection)
      if !ids.isEmpty { _ = try group.delete(ids, from: id) }
      return HTTPResponse { json in
        json.member("deleted", ids.count)
        json.notes(notes)
      }
    }
    // Only the writer can tell whether there is such a collection, as a write before this one may create it.
    let snapshot = try catalog[id]
    let filter = given.narrowed(to: datetime, of: snapshot?.info.temporal)
    guard let collection = snapshot?.collection,
      Cost(ofItems: .max, in: region, passing: filter, of: collection).lane != nil
    else {
      return .write(write)
    }
    return .longWrite { _ in
      // This reads the properties now, so that the writer needn't.
      _ = try Resources.ordinals(in: region, passing: filter, of: collection)
      return write
    }
  }

  /// A span of time says nothing where features have no times.
  private static let noTimes = Problem(
    422, field: "datetime", inBody: false,
    "the collection has no temporal properties, so that datetime alone would delete everything")

  private static func ordinals(
    in region: DegreesRegion?, passing filter: FilterExpression?, of collection: IndexedCollection
  ) throws -> [Int] {
    let scope = FeatureScope(
      collection, passing: try filter.map { try collection.filter($0) }, near: region)
    return scope.ordinals(in: region, offset: 0, limit: .max)
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
