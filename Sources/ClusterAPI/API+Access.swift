import AccessControl
import ClusterCore
import Collections
import HTTPServer
import Threading

/// Authentication and authorisation of requests.
extension API {
  /// Identifies the principal of a request, and begins with it if the principal may send it.
  ///
  /// - Throws: ``AccessFailure`` or ``Problem`` if they may not.
  func authorise(
    _ request: HTTPRequest, by access: AccessControl, _ finish: @escaping Reply
  ) throws {
    let authorization = request.headers["Authorization"]
    // Browsers ask for permission without a key.
    if authorization == nil, request.method == .options {
      return try begin(request, from: resources, finish)
    }
    let match = try? Route.find(request.path)
    do {
      if let principal = try access.known(authorization) {
        return try admit(principal, request, at: match, access, finish)
      }
    } catch AccessFailure.missing where match?.route.isPublic ?? false {
      let nobody = Principal(grant: .nothing)
      return try admit(nobody, request, at: match, access, finish)
    }
    // A check of a signature takes as long as many requests, and any client can cause it.
    enqueue(.quick, request, finish) {
      let principal = try access.verified(authorization)
      try self.admit(principal, request, at: match, access, isHere: false, finish)
    }
  }

  /// Begins with a request of a principal, after its view has been brought up to date.
  ///
  /// - Parameter match: the resource of the path; nil if there is none.
  private func admit(
    _ principal: Principal, _ request: HTTPRequest, at match: Route.Match?, _ access: AccessControl,
    isHere: Bool = true, _ finish: @escaping Reply
  ) throws {
    // Resources without data cost little, and a service isn't unready for what others without a key have asked.
    let isFree = match?.route.isPublic == true && request.headers["Authorization"] == nil
    if !isFree { try access.count(principal, from: request.client) }
    let view = CatalogView(resources.catalog.whole, principal, tenants, access)
    let own = Resources(resources, of: view)
    guard let (route, parameters) = match, request.method != .options,
      view.isFiltered || route.listsCollections && principal.grant.collections != nil
    else { return try begin(request, at: match, from: own, isHere: isHere, finish) }
    try route.check(request, parameters, principal.grant)
    let collection = route.isOfCollection ? parameters.collection : nil
    // A list of collections reads many of them, or compares all ids with patterns.
    let listing: WorkQueue.Lane? =
      !route.listsCollections ? nil : view.isFiltered ? .long : .quick
    guard let lane = collection.map({ view.plan(for: $0).lane }) ?? listing else {
      return try begin(request, at: match, from: own, isHere: isHere, finish)
    }
    enqueue(lane, request, finish) {
      if let collection { _ = try view[collection] }
      if Cancellation.isOver { return }
      try self.begin(request, at: match, from: own, isHere: false, finish)
    }
  }
}

extension FilterPlan {
  /// Where to make a tenant's view of a collection; nil for the event loop.
  fileprivate var lane: WorkQueue.Lane? {
    switch self {
    case .selectedFromAll: .long
    case .followed: .quick
    default: nil
    }
  }
}
