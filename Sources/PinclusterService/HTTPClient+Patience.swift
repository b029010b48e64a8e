import Glibc
import HTTPServer
import Threading

extension HTTPClient {
  /// The time for which a service may say again and again that it can't, in nanoseconds.
  private static let patience: UInt = 120_000_000_000
  /// The longest and the usual wait between two requests, in seconds.
  private static let (longestWait, usualWait) = (30, 1)

  /// Sends a request as ``send(_:_:headers:body:timeout:)`` does, and again after as long as the service asks for, where it says
  /// that it can't just now (429 and 503), and so has done nothing.
  ///
  /// - Throws: ``HTTPClientError``, or ``StopSignal/Received`` if a signal comes.
  func sendPatiently(
    _ method: HTTPMethod, _ path: String, headers: [(name: String, value: String)] = [],
    body: [UInt8] = [], timeout: Int
  ) throws -> HTTPResponse {
    let deadline = MonotonicTime.now + HTTPClient.patience
    while true {
      try StopSignal.check()
      let response = try send(method, path, headers: headers, body: body, timeout: timeout)
      guard [429, 503].contains(response.status), MonotonicTime.now < deadline else {
        return response
      }
      let asked = response.header("Retry-After").flatMap { Int($0) } ?? HTTPClient.usualWait
      let end =
        MonotonicTime.now
        + UInt(min(max(asked, HTTPClient.usualWait), HTTPClient.longestWait)) * 1_000_000_000
      while MonotonicTime.now < end {
        try StopSignal.check()
        usleep(50_000)
      }
    }
  }
}
