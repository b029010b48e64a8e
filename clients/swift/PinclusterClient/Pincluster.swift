import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A pincluster service.
///
///     let cities = Pincluster(url).collection("cities")
///     let view = try await cities.view(ViewRequest(.bbox(box), .viewportWidth(390)))
///     for annotation in view.annotations { … }
///
/// Calls throw a ``Problem`` if the service refuses a request, a `URLError` if it can't be reached, and a
/// `DecodingError` if its answer isn't as the contract has it.
public struct Pincluster: Sendable {
  let transport: Transport

  /// - Parameters:
  ///   - url: where the service is, such as `http://127.0.0.1:8080`.
  ///   - key: a key or token, where the service wants one.
  ///   - session: the session for all requests but those that watch.
  public init(_ url: URL, key: String? = nil, session: URLSession = .shared) {
    self.init(url, session: session) { key }
  }

  /// - Parameters:
  ///   - url: where the service is, such as `http://127.0.0.1:8080`.
  ///   - session: the session for all requests but those that watch.
  ///   - token: tells the token of each request, such as after it has renewed one that expires. Its errors are those of the call.
  public init(
    _ url: URL, session: URLSession = .shared,
    token: @escaping @Sendable () async throws -> String?
  ) {
    transport = Transport(base: url, token: token, session: session)
  }

  /// A collection, whether or not it exists.
  public func collection(_ id: String) -> Features { Features(id: id, transport: transport) }

  /// The collections, one page of them.
  ///
  /// - Throws: ``Problem`` with the status 401 or 403 if the service wants another key.
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
