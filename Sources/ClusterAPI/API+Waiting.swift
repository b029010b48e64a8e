import Collections
import HTTPServer
import Threading

/// Reads that wait for a version.
extension API {
  /// Begins again with a request when a collection has come as far as it asks for, or answers that it hasn't in time.
  /// Returns false after any other error.
  func wait(after error: any Error, _ answering: Answering) -> Bool {
    guard let early = error as? CatalogView.VersionNotReached else { return false }
    do {
      try wait(for: early, answering)
    } catch {
      answering.finish(.failure(error))
    }
    return true
  }

  private func wait(for early: CatalogView.VersionNotReached, _ answering: Answering) throws {
    let deadline = answering.deadline ?? MonotonicTime.now + longestWait
    let (request, start) = (answering.request, MonotonicTime.now)
    let waits = early.view.whole.waits
    let wait = VersionWaits.Wait(
      collection: early.collection, scope: early.view.scope, version: early.version,
      client: request.client, deadline: deadline, isAbandoned: { request.isAbandoned },
      refresh: early.view.refresher(of: early.collection)
    ) { end in
      request.note { $0.endWait(of: MonotonicTime.now - start) }
      switch end {
      case .shown: self.goOn(after: early, answering.waiting(until: deadline))
      case .late where early.isOver || early.isOptional:
        self.goOn(after: early, answering.waiting(until: deadline), isPatient: early.isOver)
      case .late: answering.finish(.failure(Problem(early)))
      case .abandoned: answering.finish(.failure(Problem(499, "the client has gone")))
      case .refused where early.isOptional:
        self.goOn(after: early, answering, isPatient: false)
      case .refused: answering.finish(.failure(waits.refusal))
      case .stopping: answering.finish(.failure(Problem.stopping))
      }
    }
    do {
      if start >= deadline { throw Problem(early) }
      try waits.add(wait)
    } catch {
      guard early.isOptional else { throw error }
      return goOn(after: early, answering, isPatient: false)
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
    after early: CatalogView.VersionNotReached, _ answering: Answering, isPatient: Bool = true
  ) {
    let finish: Reply = { answering.finish($0) }
    let resources = Resources(self.resources, of: early.view, isPatient: isPatient)
    beginLater(answering.request, from: resources, finish)
  }
}
