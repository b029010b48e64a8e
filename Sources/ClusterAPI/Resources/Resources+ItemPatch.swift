import ClusterCore
import Collections
import FeatureStore
import HTTPServer

extension Resources {
  /// The most bytes of a feature and its patch that are merged by the writer.
  private static let smallPatch = 64 << 10
  /// The most that are merged on an event loop.
  private static let quickPatch = 4 << 10
  /// How often a large patch is merged before the writer has to do it.
  private static let attempts = 4

  /// Merges a patch into a feature.
  func patchItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    let (featureID, type) = try itemToWrite(
      id, feature, request, bodies: [.mergePatch, .geoJSON, .json])
    let limits = writer.limits
    let read: @Sendable () throws -> FeaturePatch = { [parsers] in
      try parsers.withParser { parser in
        try request.body.withUnsafeBytes { text in
          FeaturePatch(
            of: featureID, on: WriteConditions(request), text: Array(text),
            parsed: try parser.parse(text), maximumLength: limits.featureBytes)
        }
      }
    }
    let snapshot = try catalog[id]
    let size = snapshot.flatMap { snapshot in
      snapshot.index.ordinal(of: featureID).map {
        snapshot.index.record(at: $0).properties.count
      }
    }
    let body = request.body.count
    guard body + (size ?? 0) <= Resources.smallPatch else {
      return .later(.write) { try self.patch(try read(), id, type, request) }
    }
    let write: @Sendable () throws -> WriteRequest = { [catalog] in
      let patch = try read()
      let merged = patch.merge(into: snapshot)
      let write = Write(
        by: catalog, in: id, bytes: max(body, merged?.bytes ?? 0), isSmall: true,
        .patch(patch, merged: merged, mergingAtMost: limits.featureBytes))
      return WriteRequest(write: write) { Resources.response(toStoring: $0, type) }
    }
    return body + (size ?? 0) <= Resources.quickPatch
      ? .write(try write()) : .longWrite { _ in try write() }
  }

  /// Carries out a large patch from a thread for long work, which waits for it. Few are under way at a time, so
  /// they rarely conflict.
  private func patch(
    _ patch: FeaturePatch, _ id: String, _ type: MediaType, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    for attempt in 1...Resources.attempts {
      let merged = patch.merge(into: try catalog[id])
      let bytes = max(request.body.count, merged?.bytes ?? 0)
      guard let share = writer.memory.share(of: bytes, for: request.client) else {
        throw Problem.tooManyWrites
      }
      let limit = attempt == Resources.attempts ? writer.limits.featureBytes : Resources.smallPatch
      let write = Write(
        by: catalog, in: id, bytes: bytes, isSmall: bytes <= Write.smallBody,
        .patch(patch, merged: merged, mergingAtMost: limit))
      let outcome = write.telling(Result { try writer.perform(write, share) })
      if case .failure(is FeaturePatch.Stale) = outcome { continue }
      return try WriteRequest(write: write) { Resources.response(toStoring: $0, type) }
        .response(to: outcome).get()
    }
    throw Problem.unavailable("the feature is too large for a patch while others change it")
  }
}
