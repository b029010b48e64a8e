import ClusterCore
import FeatureStore
import GeoFormats
import HTTPServer

extension Export {
  /// A source of features.
  protocol Source {
    /// Hands over all features, one batch at a time, and none after this returns. Can be called more than once.
    func read(_ consumer: @escaping @Sendable (FeatureBatch) throws -> Void) throws
    /// Warnings for a reader of the features, a sentence each.
    func warnings() throws -> [String]
    /// Whether features without an expiry have to say so, as others expire by default.
    var tellsNever: Bool { get }
  }

  /// A data directory, as it is at the start.
  struct Directory: Source {
    private let reader: StoreReader
    private let info: CollectionInfo

    init(_ directory: String, _ collection: String) throws {
      reader = try StoreReader(directory: directory)
      try reader.checkLog()
      guard let info = try reader.collections().first(where: { $0.id == collection }) else {
        throw CommandFailure("there is no collection \(collection) in \(directory)")
      }
      self.info = info
    }

    func read(_ consumer: @escaping @Sendable (FeatureBatch) throws -> Void) throws {
      try reader.read(info) { batch in
        try StopSignal.check()
        try consumer(batch)
      }
    }

    func warnings() -> [String] { [] }
    var tellsNever: Bool { info.ttl != nil }
  }

  /// A running service, which is asked for page after page.
  struct Service: Source {
    /// The most features of a page, which the service cuts when they take too many bytes.
    private static let page = 10_000
    /// The longest feature, in bytes. The service may have taken longer ones than it does now.
    private static let longest = 1 << 30

    private let client: HTTPClient
    private let collection: String
    /// Tells the collection's version.
    private let tag: String?
    /// The service's features say so themselves.
    let tellsNever = false

    init(_ client: HTTPClient, _ collection: String) throws {
      self.client = client
      self.collection = collection
      tag = try Service.answer(client, "/collections/\(collection)").header("ETag")
    }

    private static func answer(_ client: HTTPClient, _ path: String) throws -> HTTPResponse {
      let answer = try client.sendPatiently(
        .get, path, headers: [("Accept", "application/geo+json, application/json")], timeout: 60)
      guard answer.status == 200 else { throw CommandFailure(answer) }
      return answer
    }

    func read(_ consumer: @escaping @Sendable (FeatureBatch) throws -> Void) throws {
      var offset = 0
      while true {
        let path = "/collections/\(collection)/items?limit=\(Service.page)&offset=\(offset)"
        let body = try Service.answer(client, path).body
        let parsed = try body.withUnsafeBytes { try Service.features($0) }
        if parsed.batch.isEmpty { return }
        offset += parsed.batch.count
        try consumer(parsed.batch)
      }
    }

    private static func features(_ page: UnsafeRawBufferPointer) throws -> ParsedFeatures {
      var reader = FeatureReader(format: .geoJSON, maximumLength: longest)
      var parsed = ParsedFeatures()
      do {
        try reader.read(page, into: &parsed)
        try reader.finish(into: &parsed)
      } catch {
        throw CommandFailure("the service's answer cannot be read: \(error)")
      }
      if let problem = parsed.problems.first {
        throw CommandFailure(
          "the service's answer cannot be read: \(problem.pointer): \(problem.detail)")
      }
      return parsed
    }

    func warnings() throws -> [String] {
      if try Service.answer(client, "/collections/\(collection)").header("ETag") == tag {
        return []
      }
      return [
        "\(collection) has changed meanwhile: features may be missing, or be there twice; --data reads "
          + "all of one moment"
      ]
    }
  }
}

extension Export.Source {
  /// Lets a value take in all features, one batch after another, and returns it.
  func fold<Value>(
    _ start: Value, _ body: @escaping @Sendable (inout Value, FeatureBatch) throws -> Void
  ) throws -> Value {
    // One call at a time touches it, and none after all is read.
    nonisolated(unsafe) var value = start
    try read { batch in try body(&value, batch) }
    return value
  }
}
