import ClusterAPI
import GeoFormats
import HTTPServer

/// Logs requests: each at the level debug, those that are slow or were refused at info, and those that failed at error. Lines of these never hold
/// values of a query or of header fields, apart from ids.
final class RequestLogger: Sendable {
  /// The most lines of a kind in a second.
  private static let most = 10

  private let logger: Logger
  private let slow: Int
  private let limit = LineLimit(most: RequestLogger.most)

  /// - Parameter slow: the microseconds from which on a request is slow.
  init(_ logger: Logger, slow: Int) { (self.logger, self.slow) = (logger, slow) }

  /// Logs a connection that was refused, or a request that was refused before it was read.
  func write(_ refusal: ConnectionRefusal, _ reason: String?) {
    // Port scanners cause these.
    let level: Logger.Level = refusal == .handshake ? .debug : .info
    guard logger.writes(level), let leftOut = limit.admit("refused \(refusal.rawValue)") else {
      return
    }
    logger.log(level, "refused") { json in
      json.member("reason", refusal.rawValue)
      if let reason { json.member("message", reason) }
      if leftOut > 0 { json.member("leftOut", leftOut) }
    }
  }

  /// Logs a request: at the level debug each, at the level info one that was slow or refused.
  func write(_ log: RequestLog) {
    if logger.writes(.debug) { logger.log(.debug, "request") { self.tellTarget(log, &$0) } }
    let (failure, refusal) = (log.notes.failure, log.notes.refusal)
    if let failure, refusal == nil {
      guard let leftOut = limit.admit("failed") else { return }
      return logger.log(.error, "failed") { json in
        json.member("message", failure)
        tell(log, &json)
        if leftOut > 0 { json.member("leftOut", leftOut) }
      }
    }
    guard log.microseconds >= slow || refusal != nil, logger.writes(.info),
      let leftOut = limit.admit(refusal ?? "slow")
    else { return }
    logger.log(.info, refusal == nil ? "slow request" : "refused request") { json in
      if let refusal { json.member("reason", refusal) }
      if let failure { json.member("message", failure) }
      tell(log, &json)
      if leftOut > 0 { json.member("leftOut", leftOut) }
    }
  }

  private func tellTarget(_ log: RequestLog, _ json: inout JSONWriter) {
    json.member("method", log.method.description)
    json.member("target", log.target)
    json.member("status", log.status)
    json.member("bytes", log.bytesSent)
    json.member("microseconds", log.microseconds)
    tellIDs(log, &json)
  }

  private func tellIDs(_ log: RequestLog, _ json: inout JSONWriter) {
    json.member("requestId", log.requestID)
    guard let trace = log.trace else { return }
    json.member("traceId", trace.trace)
    json.member("parentId", trace.parent)
  }

  /// Adds the request's resource and shape, and where the time went, in milliseconds.
  private func tell(_ log: RequestLog, _ json: inout JSONWriter) {
    let notes = log.notes
    json.member("method", log.method.description)
    json.member("route", API.label(ofRoute: notes.route))
    json.member("status", log.status)
    json.member("milliseconds", Double(log.microseconds) / 1000)
    json.member("bytesIn", log.bytesReceived)
    json.member("bytesOut", log.bytesSent)
    tellIDs(log, &json)
    if let shape = log.shape { json.member("query", shape) }
    if notes.estimate > 0 { json.member("estimate", rounded(UInt(min(notes.estimate, 1e18)))) }
    if let lane = notes.lane {
      json.member("lane", lane)
      json.member("waited", rounded(notes.waited))
      json.member("worked", rounded(notes.worked))
    }
    if notes.awaited > 0 { json.member("versionWaited", rounded(notes.awaited)) }
    guard let write = notes.write else { return }
    json.member("writerWaited", rounded(write.waited))
    json.member("applied", rounded(write.applied))
    json.member("committed", rounded(write.committed))
    json.member("writesInCommit", write.group)
  }

  /// Nanoseconds as milliseconds, to the microsecond.
  private func rounded(_ nanoseconds: UInt) -> Double { Double(nanoseconds / 1000) / 1000 }
}
