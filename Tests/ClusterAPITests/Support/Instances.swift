import TestSupport
import Testing
import Threading

@testable import ClusterAPI
@testable import Collections

/// Three services that share a database: one that writes, one whose reads wait for long, and one whose reads hardly wait.
struct Instances {
  static let keys = """
    admin:root
    {"scope":"write","key":"key-a","filter":"t = 'a'"}
    {"scope":"write","key":"key-b","filter":"t = 'b'"}
    """

  static func bearer(_ key: String) -> [(name: String, value: String)] {
    [("Authorization", "Bearer \(key)")]
  }

  let first, patient, hasty: Service

  init() throws {
    first = try Service(keys: Instances.keys)
    patient = try Service(sharing: first, keys: Instances.keys, maxWait: 60)
    hasty = try Service(sharing: first, keys: Instances.keys, maxWait: 0.3)
  }

  /// Keeps the others from following the first one during `body`.
  func holding<R>(_ body: () async throws -> R) async throws -> R {
    for service in [patient, hasty] { service.writer.queue.suspend() }
    defer { for service in [patient, hasty] { service.writer.queue.resume() } }
    return try await body()
  }

  /// Stores a feature at the first service, and returns the version.
  func put(_ id: String, of tenant: String, _ number: Int, by key: String) async throws -> Int {
    let feature =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(tenant == "a" ? 1 : 3),2]},"#
      + #""properties":{"t":"\#(tenant)","n":\#(number)}}"#
    let answer = await first.send(
      .put, "/collections/c/items/\(id)", feature, headers: Instances.bearer(key))
    return try #require(
      answer.response.header("Pincluster-Version").flatMap { Int($0) }, "\(answer.text)")
  }

  /// The answer of a service once it holds a text, or after a while.
  func answer(
    of service: Service, _ target: String, by key: String, with text: String
  ) async throws -> Answer {
    let deadline = MonotonicTime.now + 20_000_000_000
    while true {
      let answer = await service.get(target, headers: Instances.bearer(key))
      if answer.text.contains(text) || MonotonicTime.now > deadline { return answer }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Waits until the others have come to what the first one shows.
  func settle() async throws {
    let version = first.catalog["c"]?.info.version
    let deadline = MonotonicTime.now + 20_000_000_000
    for service in [patient, hasty] {
      while service.catalog["c"]?.info.version != version, MonotonicTime.now < deadline {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(service.catalog["c"]?.info.version == version)
    }
  }

  /// Sends a request, and looks that it isn't answered before `release` has been called.
  static func answer(
    of service: Service, _ target: String, headers: [(name: String, value: String)],
    _ release: () -> Void
  ) async throws -> Answer {
    let answer = Locked<Answer?>(nil)
    service.begin(.get, target, headers: headers) { got in answer.withLock { $0 = got } }
    try await Task.sleep(for: .milliseconds(200))
    #expect(answer.withLock { $0?.text } == nil)
    release()
    let deadline = MonotonicTime.now + 30_000_000_000
    while answer.withLock({ $0 == nil }), MonotonicTime.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    return try #require(answer.withLock { $0 })
  }
}
