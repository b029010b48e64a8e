import HTTPServer
import Threading

/// Reads that wait for a version.
extension API {
  /// What answers a request: with an answer, or by beginning again when a collection has come as far as it asks for.
  ///
  /// - Parameter deadline: until when it may wait, by ``MonotonicTime``; nil if it hasn't begun to.
  func replying(by answering: Answering, until deadline: UInt? = nil) -> Reply {
    { result in
      guard case .failure(let error) = result, let early = error as? TooEarly else {
        return answering.finish(result)
      }
      self.wait(for: early, answering, until: deadline ?? MonotonicTime.now + self.longestWait)
    }
  }

  private func wait(for early: TooEarly, _ answering: Answering, until deadline: UInt) {
    let (request, start) = (answering.request, MonotonicTime.now)
    let waits = early.view.whole.waits
    let wait = VersionWaits.Wait(
      collection: early.collection, scope: early.view.scope, version: early.version,
      client: request.client, deadline: deadline, isAbandoned: { request.isAbandoned },
      refresh: early.view.refresher(of: early.collection)
    ) { end in
      request.note { $0.endWait(of: MonotonicTime.now - start) }
      switch end {
      case .shown: self.goOn(after: early, answering, until: deadline)
      case .late where early.isOver: self.goOn(after: early, answering, until: deadline)
      case .late: answering.finish(.failure(early.problem))
      case .abandoned: answering.finish(.failure(Problem(499, "the client has gone")))
      case .refused: answering.finish(.failure(waits.refusal))
      case .stopping: answering.finish(.failure(Problem.stopping))
      }
    }
    do {
      if start >= deadline { throw early.problem }
      try waits.add(wait)
    } catch {
      return answering.finish(.failure(error))
    }
    // The version may have been shown before.
    if let refresh = wait.refresh {
      refresh()
    } else if let version = early.view.whole.version(of: early.collection) {
      waits.show(version.number, of: early.collection)
    }
  }

  /// Begins again with a request, away from whoever has shown the version.
  private func goOn(after early: TooEarly, _ answering: Answering, until deadline: UInt) {
    let (request, finish) = (answering.request, replying(by: answering, until: deadline))
    let resources = Resources(self.resources, of: early.view)
    enqueue(.quick, request, finish) {
      do {
        try self.begin(request, from: resources, isHere: false, finish)
      } catch {
        if !Interruption.isOver { finish(.failure(error)) }
      }
    }
  }
}
