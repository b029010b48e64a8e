import ClusterCore
import FeatureStore
import HTTPServer

extension Resources {
  /// Merges a patch into a feature.
  func patchItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    let (featureID, type) = try itemToWrite(
      id, feature, request, bodies: [.mergePatch, .geoJSON, .json])
    let limits = writer.limits
    let read: @Sendable () throws -> ItemPatch = { [parsers] in
      try ItemPatch(
        of: featureID, in: id, request, maximumLength: limits.featureBytes, parsers: parsers)
    }
    let snapshot = try catalog[id]
    let size = snapshot.flatMap { snapshot in
      snapshot.index.ordinal(of: featureID).map {
        snapshot.index.record(at: $0).properties.count
      }
    }
    let body = request.body.count
    guard body + (size ?? 0) <= ItemPatch.small else {
      return .later(.write) { try self.patch(try read(), id, type, request) }
    }
    let write: @Sendable () throws -> Write = { [catalog] in
      let patch = try read()
      let merge = patch.merge(into: snapshot)
      let bytes = max(body, merge?.bytes ?? 0)
      return Write(view: catalog, collection: id, bytes: bytes, isSmall: true) { group in
        let batch = try patch.store(merge, mergingAtMost: limits.featureBytes, in: group)
        return Resources.stored(batch, status: 200, type)
      }
    }
    return body + (size ?? 0) <= ItemPatch.quick
      ? .write(try write()) : .longWrite { _ in try write() }
  }

  /// How often a large patch is merged before the writer has to do it.
  private static let attempts = 4

  /// Carries out a large patch from a thread for long work, which waits for it. Few are under way at a time, so
  /// they rarely conflict.
  private func patch(
    _ patch: ItemPatch, _ id: String, _ type: MediaType, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    for attempt in 1...Resources.attempts {
      let merge = patch.merge(into: try catalog[id])
      let bytes = max(request.body.count, merge?.bytes ?? 0)
      guard let share = writer.memory.share(of: bytes, for: request.client) else {
        throw Problem.tooManyWrites
      }
      let limit = attempt == Resources.attempts ? writer.limits.featureBytes : ItemPatch.small
      let write = Write(
        view: catalog, collection: id, bytes: bytes, isSmall: bytes <= Write.smallBody
      ) { group in
        let batch = try patch.store(merge, mergingAtMost: limit, in: group)
        return Resources.stored(batch, status: 200, type)
      }
      do {
        return try write.telling(Result { try writer.perform(write, share) }).get()
      } catch is ItemPatch.Stale { continue }
    }
    throw Problem.unavailable("the feature is too large for a patch while others change it")
  }
}
