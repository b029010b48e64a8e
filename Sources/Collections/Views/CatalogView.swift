import AccessControl
import ClusterCore

/// The collections as a principal sees them: those that its grant covers, with the features that pass its
/// filter.
package struct CatalogView: Sendable {
  /// The collections without any restriction.
  package let whole: Catalog
  /// The principal that has the view.
  package let principal: Principal
  /// The access control that admitted the principal; nil if the service has none.
  private let access: AccessControl?
  /// The tenant of the grant's filter; nil if all features are seen.
  private let tenant: Tenant?

  /// Everything.
  package init(_ catalog: Catalog) {
    (whole, principal, tenant, access) = (catalog, .unchecked, nil, nil)
  }

  /// A view of the collections and features that a principal's grant covers.
  package init(
    _ catalog: Catalog, _ principal: Principal, _ tenants: Tenants, _ access: AccessControl
  ) {
    (whole, self.principal, self.access) = (catalog, principal, access)
    tenant = principal.grant.filter.map(tenants.tenant)
  }

  private var grant: Grant { principal.grant }

  /// Whether requests must be checked against the grant.
  package var isChecked: Bool { access != nil }

  /// The reason why the principal no longer has its grant, nil if it has; long-lived streams ask again.
  package var loss: AccessFailure? { access?.loss(principal) }

  /// The filter of visible features; nil if all are.
  package var filter: FilterExpression? { tenant?.filter }

  /// The identity of the set of visible features: equal for all principals that see the same.
  package var tenantID: ObjectIdentifier? { tenant.map(ObjectIdentifier.init) }

  /// The collection with an id, as it is now.
  ///
  /// - Throws: ``CollectionsError/noMemoryForView``.
  package subscript(_ id: String) -> CollectionSnapshot? {
    get throws { try snapshot(id, from: 0) }
  }

  /// The collection with an id, as it is now, for a request that names a version. It may be an earlier one.
  ///
  /// - Throws: ``CollectionsError/noMemoryForView``.
  package func snapshot(_ id: String, from version: Int64) throws -> CollectionSnapshot? {
    guard grant.coversEverything || grant.covers(id) else { return nil }
    guard let tenant else { return whole[id] }
    guard let dated = whole.dated(id) else {
      tenant.forget(id)
      return nil
    }
    return try tenant.view(of: id).snapshot(of: dated, from: version)
  }

  /// The version of a collection that was made last, without any work; 0 if none was, nil if there is no such collection.
  package func madeVersion(of id: String) -> Int64? {
    guard let version = whole.version(of: id), !version.isDropped else { return nil }
    guard let tenant else { return version.number }
    return tenant.view(of: id).version ?? 0
  }

  /// Whether a collection has come to a version. A tenant isn't told by this whether others have changed something.
  func hasCome(_ id: String, to version: Int64) -> Bool? {
    guard let made = madeVersion(of: id) else { return nil }
    return made >= version || isFiltered && whole.dated(id).map { $0.settled >= version } ?? false
  }

  /// Whether a collection has come to a version only to be dropped.
  package func isDropped(_ id: String, after version: Int64) -> Bool {
    guard !isFiltered, let last = whole.version(of: id) else { return false }
    return last.isDropped && last.number >= version
  }

  /// A function that updates a tenant's view of a collection, and so ends waits for its version; nil if all features are
  /// seen, as the writer then ends such waits.
  package func refresher(of id: String) -> (@Sendable () -> Void)? {
    guard let tenant else { return nil }
    return { [whole] in tenant.updateSoon(id, from: whole) }
  }

  /// The way in which ``subscript(_:)`` finds what is seen of a collection as it is now.
  package func plan(for id: String) -> FilterPlan {
    guard let tenant, grant.covers(id), let snapshot = whole.shown(id) else {
      return .everything
    }
    return tenant.view(of: id).plan(for: snapshot)
  }

  /// Brings what clients watch of a collection up to date: here if that is little work, else soon, by another thread.
  package func refresh(_ id: String) {
    tenant?.use()
    if let tenant, plan(for: id) == .selectedFromAll {
      tenant.updateSoon(id, from: whole)
    } else {
      _ = try? self[id]
    }
  }

  /// Whether only some collections or features are seen.
  var isConfined: Bool { !grant.coversEverything }

  /// Whether only some features are seen.
  package var isFiltered: Bool { tenant != nil }

  /// The store's part of entity tags in this view; nil for that of the whole.
  package var name: String? { tenant?.name }

  /// The number of collections.
  package var count: Int { grant.collections == nil ? whole.count : ids.count }

  private var ids: [String] { whole.ids.filter(grant.covers) }

  /// Some of the collections by id, as they are now.
  ///
  /// - Throws: as ``subscript(_:)``.
  package func page(offset: Int, limit: Int) throws -> [CollectionSnapshot] {
    if grant.coversEverything { return whole.page(offset: offset, limit: limit) }
    return try ids.dropFirst(offset).prefix(limit).compactMap { try self[$0] }
  }

  /// The log of a collection's changes, which begins with the first call; nil if there is no such collection.
  package func changes(of id: String, wake: @escaping @Sendable (InvalidationLog) -> Void)
    -> InvalidationLog?
  {
    guard let tenant else { return whole.changes(of: id, wake: wake) }
    guard (try? self[id]) != nil else { return nil }
    return tenant.view(of: id).changes(in: whole.logs, wake: wake)
  }

  /// Refuses to change a part of a collection that all its clients share.
  ///
  /// - Throws: ``CollectionsError/seesPart`` unless all features are seen.
  package func checkSeesAll() throws(CollectionsError) {
    if isFiltered { throw .seesPart }
  }
}

extension CatalogView {
  /// A collection hasn't come to the version that a read asks for, or isn't there yet. The read may wait, and begin again.
  package struct VersionNotReached: Error {
    package let collection: String
    /// The version that is asked for.
    package let version: Int64
    /// The client's view of the collections.
    package let view: CatalogView
    /// Whether it is answered all the same if the version doesn't come in time.
    package let isOptional: Bool

    /// The reason why a read of a collection has to wait.
    package init(collection: String, version: Int64, view: CatalogView, isOptional: Bool) {
      (self.collection, self.version) = (collection, version)
      (self.view, self.isOptional) = (view, isOptional)
    }

    /// Whether it is over by now.
    package var isOver: Bool {
      view.hasCome(collection, to: version)
        ?? view.isDropped(collection, after: version)
    }
  }
}
