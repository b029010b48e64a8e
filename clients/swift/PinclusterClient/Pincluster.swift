import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A pincluster service.
///
/// Calls throw a ``Problem`` for what the service refuses, and a `URLError` where it can't be reached.
public struct Pincluster: Sendable {
  let transport: Transport

  /// - Parameters:
  ///   - url: where the service is, such as `http://127.0.0.1:8080`.
  ///   - key: a key or token, where the service wants one.
  ///   - session: the session for all requests but those that watch.
  public init(_ url: URL, key: String? = nil, session: URLSession = .shared) {
    transport = Transport(base: url, key: key, session: session)
  }

  /// A collection, whether or not it exists.
  public func collection(_ id: String) -> Features { Features(id: id, transport: transport) }

  /// The collections, one page of them.
  public func collections(limit: Int? = nil, offset: Int? = nil) async throws -> [CollectionInfo] {
    struct Page: Decodable { var collections: [CollectionInfo] }
    let query = Query(["limit": limit.map { String($0) }, "offset": offset.map { String($0) }])
    let answer = try await transport.send(
      transport.request("GET", ["collections"], query, headers: Transport.json))
    return try JSONDecoder().decode(Page.self, from: answer.data).collections
  }
}

extension Transport {
  static let json = [(name: "Accept", value: "application/json")]
}
