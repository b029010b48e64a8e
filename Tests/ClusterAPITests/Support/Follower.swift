import HTTPServer
import TestSupport

@testable import ClusterAPI
@testable import Collections

/// Another instance of a service, which shows what that does when it is told to look.
final class Follower: Sendable {
  let catalog = Catalog.keepingAnswers()
  private let service: Service
  private let api: API

  init(of service: Service, maxWait: Double) {
    self.service = service
    catalog.setReady(true)
    api = API(
      catalog: catalog, writer: service.writer, metrics: Metrics(), requestTimeout: 600,
      maxWait: maxWait
    ) { _ in }
  }

  /// Shows the collection `c` as it is now.
  func look() {
    guard let now = service.catalog["c"] else {
      if catalog["c"] != nil { catalog.remove("c", at: service.catalog.version(of: "c")?.number) }
      return
    }
    let shown = catalog["c"]
    if shown?.info.version == now.info.version { return }
    catalog.publish(
      CollectionSnapshot(
        info: now.info, collection: now.collection, after: shown, cache: catalog.cache?.another()),
      invalidated: nil)
  }

  func get(_ target: String, from version: Int? = nil) async -> Answer {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    let headers = version.map { [("Pincluster-Version", "\($0)")] } ?? []
    let request = HTTPRequest(
      path: parts[0], query: parts.count > 1 ? parts[1] : nil, headers: HTTPHeaders(headers))
    return await withCheckedContinuation { continuation in
      api.handle(request) { continuation.resume(returning: Answer(response: $0)) }
    }
  }
}
