import ClusterCore
import Collections
import GeoFormats
import HTTPServer
import Threading

/// A deletion that a request asks for, and its answer.
struct ItemDeletion: Sendable {
  /// The findings before the writer's turn: the features to delete, and the notes on the properties that the filter names.
  /// These are the properties of the features before, as all that have one may go.
  struct Found: Sendable {
    fileprivate let features: FeatureDeletion.Found
    fileprivate let notes: [String]
  }

  /// The turns of the writer that are tried.
  static let attempts = 6

  let view: CatalogView
  /// The collection's id.
  let id: String
  var features: FeatureDeletion
  /// The states of the list of features in which they are deleted; nil for any.
  var conditions: CollectionConditions?
  let limits: WriteLimits

  /// Whether finding the features to delete is up to the writer: it takes so little time that the event loop has done it, or
  /// a write before this one may create the collection. A request that takes the event loop longer begins again elsewhere.
  func isShort() throws -> Bool {
    guard let snapshot = try view[id] else { return true }
    guard Cancellation.isLimited else { return false }
    try features.look(in: snapshot)
    return true
  }

  /// The write.
  ///
  /// - Parameters:
  ///   - found: the result of an earlier search.
  ///   - attempts: the turns that may be tried, with this one.
  func write(_ found: Found? = nil, attempts: Int = attempts) -> WriteRequest {
    // A finding that takes more counts less, as it is made by one client at a time for long.
    var write = Write(
      by: view, in: id, bytes: min(found?.features.byteCount ?? 0, limits.decodedBytes / 2),
      .deleteAll(features, found?.features))
    write.conditions = conditions
    var request = WriteRequest(write: write) { result in
      guard case .deleted(let count, let before?) = result else { return HTTPResponse(status: 204) }
      return HTTPResponse { json in
        json.member("deleted", count)
        json.notes(found?.notes ?? notes(at: before))
      }
    }
    request.isSlowToAnswer = found == nil
    if attempts > 1 { request.again = { try lookAgain(after: found, attempts: attempts - 1) } }
    return request
  }

  /// Finds the features to delete.
  func lookAgain(after found: Found? = nil, attempts: Int = attempts) throws -> WriteRequest {
    guard let snapshot = try view[id],
      let features = try features.find(in: snapshot, after: found?.features)
    else { return write(attempts: attempts) }
    return write(Found(features: features, notes: notes(at: snapshot)), attempts: attempts)
  }

  private func notes(at snapshot: CollectionSnapshot) -> [String] {
    PropertyNotes(filter: features.filter(at: snapshot.info)).sentences(in: snapshot.collection)
  }
}
