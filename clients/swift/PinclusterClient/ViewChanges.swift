import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The changes of a viewport, event by event.
///
/// Where the connection breaks it is made again, with the id of the last event, so nothing is missed. Where the service ends
/// it as a token has expired, or the rights of a key have changed, all comes anew, or a ``Problem`` if that is refused. Events
/// wait until they are taken.
public struct ViewChanges: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = ViewEvent

  let path: [String]
  let request: ViewRequest
  let since: Int?
  /// The header fields of its requests.
  let headers: [(name: String, value: String)]
  let transport: Transport

  /// Begins to watch.
  public func makeAsyncIterator() -> AsyncThrowingStream<ViewEvent, any Error>.Iterator {
    let watch = Watch(changes: self)
    let stream = AsyncThrowingStream<ViewEvent, any Error> { continuation in
      let task = Task {
        do {
          try await watch.run { continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
    return stream.makeAsyncIterator()
  }
}

/// One client that watches, over as many connections as it takes.
private struct Watch: Sendable {
  let changes: ViewChanges

  /// The shortest and the longest time before the next connection, in seconds.
  private static let (shortest, longest) = (0.25, 15.0)
  /// The longest query, in bytes.
  private static let longestQuery = 4000
  /// The statuses of a service, or of a proxy before it, that can't answer just now.
  private static let temporary = [408, 429, 500, 502, 503, 504]

  func run(_ yield: (ViewEvent) -> Void) async throws {
    var last = changes.since.map { String($0) }
    var pause = Watch.shortest
    while !Task.isCancelled {
      var (asked, isOpen) = (0.0, false)
      do {
        var parser = EventParser()
        for try await bytes in try await connect(last) {
          isOpen = true
          for event in parser.take(bytes) {
            last = event.id ?? last
            pause = Watch.shortest
            guard let known = try ViewEvent(event.name, Data(event.data.utf8)) else { continue }
            yield(known)
            if case .gone = known { return }
          }
        }
      } catch let problem as Problem where Watch.temporary.contains(problem.status) {
        asked = Swift.min(problem.retryAfter ?? 0, Watch.longest)
      } catch let problem as Problem where problem.status == 401 && isOpen {
        // Versions with other rights may be others.
        last = nil
      } catch is URLError {
        try Task.checkCancellation()
      }
      // Not all at once after a restart of the service, and none before it asks for that.
      let rest = asked + pause * Double.random(in: 0.5...1)
      try await Task.sleep(nanoseconds: UInt64(rest * 1e9))
      pause = Swift.min(pause * 2, Watch.longest)
    }
  }

  private func connect(_ last: String?) async throws -> AsyncThrowingStream<Data, any Error> {
    var headers = changes.headers
    if let last { headers.append(("Last-Event-ID", last)) }
    // Proxies refuse long addresses, and a body can list texts with commas.
    let query = try? Query(changes.request)
    let isShort = query.map { $0.text.utf8.count <= Watch.longestQuery } ?? false
    var request = try changes.transport.request(
      isShort ? "GET" : "POST", changes.path, isShort ? query ?? Query() : Query(),
      body: isShort ? nil : try JSONEncoder().encode(changes.request), headers: headers)
    // The service tells every 15 seconds that it lives.
    request.timeoutInterval = 60
    request = try await changes.transport.authorized(request)
    let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
    let reader = ChunkReader(continuation)
    let session = URLSession(
      configuration: changes.transport.session.configuration, delegate: reader, delegateQueue: nil)
    let task = session.dataTask(with: request)
    continuation.onTermination = { _ in
      task.cancel()
      session.finishTasksAndInvalidate()
    }
    task.resume()
    return stream
  }
}

/// Hands on the bytes of an answer as they come. `@unchecked Sendable`: a session calls it on one queue.
private final class ChunkReader: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let continuation: AsyncThrowingStream<Data, any Error>.Continuation
  private var refusal: (response: HTTPURLResponse, body: Data)?

  init(_ continuation: AsyncThrowingStream<Data, any Error>.Continuation) {
    self.continuation = continuation
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse, response.statusCode != 200 {
      refusal = (response, Data())
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if refusal == nil { continuation.yield(data) } else { refusal?.body.append(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    if let refusal {
      continuation.finish(throwing: Transport.problem(refusal.response, refusal.body))
    } else {
      continuation.finish(throwing: error)
    }
  }
}
