import Collections
import HTTPServer
import Threading

/// Reads that wait for a version.
extension API {
  /// Begins again with a request when a collection has come as far as it asks for, or answers that it hasn't in time.
  /// Returns false after any other error.
  func wait(after error: any Error, _ pipeline: ResponsePipeline) -> Bool {
    guard let early = error as? CatalogView.VersionNotReached else { return false }
    do {
      try wait(for: early, pipeline)
    } catch {
      pipeline.finish(.failure(error))
    }
    return true
  }

  private func wait(for early: CatalogView.VersionNotReached, _ pipeline: ResponsePipeline) throws {
    let deadline = pipeline.deadline ?? MonotonicTime.now + longestWait
    let (request, start) = (pipeline.request, MonotonicTime.now)
    let waits = early.view.whole.waits
    let wait = VersionWaits.Wait(
      collection: early.collection, tenantID: early.view.tenantID, version: early.version,
      client: request.client, deadline: deadline, isAbandoned: { request.isAbandoned },
      refresh: early.view.refresher(of: early.collection)
    ) { end in
      request.note { $0.endWait(of: MonotonicTime.now - start) }
      switch end {
      case .shown: self.goOn(after: early, pipeline.waiting(until: deadline))
      case .late where early.isOver || early.isOptional:
        self.goOn(after: early, pipeline.waiting(until: deadline), isPatient: early.isOver)
      case .late: pipeline.finish(.failure(Problem(early)))
      case .abandoned: pipeline.finish(.failure(Problem(499, "the client has gone")))
      case .refused where early.isOptional:
        self.goOn(after: early, pipeline, isPatient: false)
      case .refused: pipeline.finish(.failure(waits.refusal))
      case .stopping: pipeline.finish(.failure(Problem.stopping))
      }
    }
    do {
      if start >= deadline { throw Problem(early) }
      try waits.add(wait)
    } catch {
      guard early.isOptional else { throw error }
      return goOn(after: early, pipeline, isPatient: false)
    }
    // The version may have been shown before.
    if let refresh = wait.refresh {
      refresh()
    } else if let version = early.view.whole.version(of: early.collection) {
      waits.show(version.number, of: early.collection)
    }
  }

  /// Begins again with a request, away from the thread that has published the version.
  private func goOn(
    after early: CatalogView.VersionNotReached, _ pipeline: ResponsePipeline, isPatient: Bool = true
  ) {
    let finish: Reply = { pipeline.finish($0) }
    let resources = Resources(self.resources, of: early.view, isPatient: isPatient)
    beginLater(pipeline.request, from: resources, finish)
  }
}
