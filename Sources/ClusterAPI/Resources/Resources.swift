import ClusterCore
import Collections
import FeatureStore
import HTTPServer

/// The resources of the API: for each method of each resource a function from a request to an ``Outcome``, in
/// an extension by topic. This file has the functions that they share.
final class Resources: Sendable {
  let catalog: CatalogView
  let writer: CollectionWriter
  let metrics: Metrics
  /// The work for reads.
  private let work: WorkQueue
  let hub: ChangeHub
  let map: MapSettings
  let parsers: ParserPool
  let tileTemplates: TileTemplates
  private let address: ServiceAddress
  /// The version to which a collection must have come before it is read.
  private let minimum: Int64
  /// Whether versions that are only wished for are waited for.
  private let isPatient: Bool
  /// The store's id as a part of entity tags.
  private let storeName: String

  init(
    catalog: Catalog, writer: CollectionWriter, metrics: Metrics, work: WorkQueue,
    address: ServiceAddress, map: MapSettings, requestTimeout: Int,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.catalog, self.writer, self.metrics) = (CatalogView(catalog), writer, metrics)
    (self.work, self.address, self.map) = (work, address, map)
    hub = ChangeHub(
      limits: WatchLimits(seconds: requestTimeout), refusals: metrics.refusals, report: report)
    storeName = String(writer.storeID, radix: 36)
    (minimum, isPatient) = (0, true)
    (parsers, tileTemplates) = (ParserPool(), TileTemplates())
  }

  /// The same for another view, or for a read that waits until a collection has come to a version.
  init(
    _ other: Resources, of view: CatalogView, from minimum: Int64 = 0, isPatient: Bool = true
  ) {
    (self.minimum, self.isPatient) = (minimum, isPatient && other.isPatient)
    catalog = view
    (writer, metrics, hub, map) = (other.writer, other.metrics, other.hub, other.map)
    (parsers, tileTemplates, address) = (other.parsers, other.tileTemplates, other.address)
    work = other.work
    storeName = view.name ?? other.storeName
  }

  /// Why no traffic is wanted; nil if it is.
  var hindrance: String? {
    let catalog = catalog.whole
    if catalog.isDetached { return "the data directory has been removed or replaced" }
    if let lane = work.stuck { return lane.ifStuck }
    if let id = writer.link?.withoutMemory.first {
      return "there is no memory for what others have written to the collection \(id)"
    }
    return catalog.isReady ? nil : "not every collection is loaded"
  }

  /// The collection with an id as it is now; 404 if there is none.
  ///
  /// - Parameter wish: a version that is waited for, but not for ever.
  /// - Throws: ``CatalogView.VersionNotReached`` if it hasn't come to the version that is asked or wished for.
  func snapshot(_ id: String, wish: Int64 = 0) throws -> CollectionSnapshot {
    let asked = max(minimum, isPatient ? wish : 0)
    let snapshot = try catalog.snapshot(id, from: asked)
    if snapshot?.info.version ?? 0 < asked {
      // One that isn't there may come, too.
      guard !catalog.whole.isUnread(id) else { throw Problem.unread }
      guard snapshot != nil || Catalog.isCollectionID(id) && !catalog.isDropped(id, after: asked)
      else { throw Problem.noCollection }
      throw CatalogView.VersionNotReached(
        collection: id, version: asked, view: catalog, isOptional: asked > minimum)
    }
    guard let snapshot else {
      throw catalog.whole.isUnread(id) ? Problem.unread : Problem.noCollection
    }
    return snapshot
  }

  /// The ordinal of a feature with an id as it stands in a path; 404 if there is none.
  func ordinal(of feature: String, in snapshot: CollectionSnapshot) throws(Problem) -> Int {
    guard let id = try? FeatureID(bareText: feature.utf8),
      let ordinal = snapshot.index.ordinal(of: id)
    else { throw .noFeature }
    return ordinal
  }

  /// The URL to which paths are appended for the links of an answer; see ``ServiceAddress/base(of:)``.
  func base(of request: HTTPRequest) -> String { address.base(of: request) }

  /// The tag of an answer that is a function of a collection's version, the request and a media type.
  ///
  /// - Parameter base: the URL that the answer's links begin with, if it has any.
  func entityTag(
    _ info: CollectionInfo, _ request: HTTPRequest, _ type: MediaType, links base: String? = nil
  ) -> String {
    entityTag(info, Resources.tagHash(request, type, links: base))
  }

  /// The part of an answer's tag that depends on the request alone.
  static func tagHash(_ request: HTTPRequest, _ type: MediaType, links base: String?) -> UInt64 {
    EntityTag.hash(of: request, as: base.map { "\(type.rawValue) \($0)" } ?? type.rawValue)
  }

  /// The tag of an answer, by its ``tagHash(_:_:links:)``.
  func entityTag(_ info: CollectionInfo, _ hash: UInt64) -> String {
    // A version may come twice where a database takes over that lacks the last changes. Tenants' versions are times, and
    // a change's token would tell them of others' changes.
    let change = catalog.isFiltered ? 0 : UInt64(bitPattern: info.token)
    return EntityTag.text(of: storeName, version: info.version, hash ^ change)
  }

  /// Reads the fields of a viewport from the body of a POST or the query of a GET. The query of a POST
  /// holds the format only.
  func withViewportFields<R>(
    _ request: HTTPRequest, _ names: ViewportField.Names,
    _ body: (Fields, _ format: String?) throws -> R
  ) throws -> R {
    guard request.method == .post else {
      let fields = try Fields(
        query: request.query, allowed: names.inQuery, othersAreProperties: names.hasProperties)
      return try body(fields, try fields.string("f"))
    }
    let query = try Fields(query: request.query, allowed: ["f"])
    try request.checkBodyType([.json])
    return try parsers.withObject(ofBody: request.body, allowed: names.inBody) { fields, _ in
      try body(fields, try query.string("f"))
    }
  }
}

extension HTTPRequest {
  /// The type of the answer to a write without fields in its query. `Accept` chooses it, but never stops a
  /// write.
  func typeOfWrite(_ offered: [MediaType]) throws(Problem) -> MediaType {
    _ = try Fields(query: query, allowed: [])
    return negotiateLeniently(offered)
  }

  /// The type of the answer to a request without fields in its query, apart from `f` if it `hasFormat`.
  func answerType(_ offered: [MediaType], hasFormat: Bool = true) throws(Problem) -> MediaType {
    let fields = try Fields(query: query, allowed: hasFormat ? ["f"] : [])
    return try negotiate(offered, format: try fields.string("f"))
  }
}
