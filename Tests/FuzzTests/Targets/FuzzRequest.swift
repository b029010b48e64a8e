import AccessControl
import Collections
import Dispatch
import FeatureStore
import GeoFormats
import HTTPServer
import TestSupport
import Threading

@testable import ClusterAPI

/// Whole requests to a service without sockets: no error of its own, answers that are what they say they are, and the same
/// answer for the same question.
///
/// An input is a line with a method and a target, lines of fields, an empty line, and the body.
final class FuzzRequest: Sendable {
  /// Writes of earlier inputs are forgotten now and then.
  private static let current = Locked<(service: FuzzRequest, uses: Int)?>(nil)
  private static let mostUses = 2000

  private let directory: TemporaryDirectory
  private let writer: CollectionWriter
  private let api: API
  private let reports = Locked<[String]>([])

  static func feed(_ input: UnsafeRawBufferPointer) throws {
    guard let request = request(input) else { return }
    let service = try current.withLock { current in
      if let (service, uses) = current, uses < mostUses {
        current = (service, uses + 1)
        return service
      }
      let service = try FuzzRequest()
      current = (service, 0)
      return service
    }
    try service.check(request)
  }

  private init() throws {
    directory = try TemporaryDirectory()
    let catalog = Catalog.keepingAnswers()
    writer = CollectionWriter(store: try SQLiteStore(directory: directory.path), catalog: catalog)
    try writer.load()
    catalog.setReady(true)
    let reports = reports
    api = API(catalog: catalog, writer: writer, metrics: Metrics(), maxWait: 0) { text in
      reports.withLock { $0.append(text) }
    }
    let features = (0..<200).map { number in
      """
      {"type":"Feature","id":\(number),"geometry":{"type":"Point","coordinates":[\(number % 20).5,\(number / 20)]},\
      "properties":{"n":\(number),"k":"\(number % 3)","t":"2020-01-0\(number % 9 + 1)"}}
      """
    }
    let body = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    let headers = HTTPHeaders([(name: "Content-Type", value: "application/geo+json")])
    let stored = answer(
      HTTPRequest(
        method: .post, path: "/collections/c/items", headers: headers,
        body: RequestBody(Array(body.utf8))))
    try FuzzFinding.unless(stored?.status == 200, "the first features are not stored")
  }

  deinit {
    api.close()
    writer.close()
  }

  private static func request(_ input: UnsafeRawBufferPointer) -> HTTPRequest? {
    let bytes = Array(input)
    let end = bytes.firstRange(of: [0x0A, 0x0A])
    let head = bytes[..<(end?.lowerBound ?? bytes.endIndex)]
    var lines = String(decoding: head, as: UTF8.self).split(separator: "\n")[...]
    guard let first = lines.popFirst(), let space = first.firstIndex(of: " ") else { return nil }
    let target = first[first.index(after: space)...]
    let mark = target.firstIndex(of: "?")
    return HTTPRequest(
      method: HTTPMethod(rawValue: String(first[..<space])) ?? .other,
      path: String(target[..<(mark ?? target.endIndex)]),
      query: mark.map { String(target[target.index(after: $0)...]) },
      headers: HTTPHeaders(
        lines.compactMap { line in
          guard let colon = line.firstIndex(of: ":") else { return nil }
          let value = line[line.index(after: colon)...].drop { $0 == " " }
          return (name: String(line[..<colon]), value: String(value))
        }),
      body: RequestBody(Array(bytes[(end?.upperBound ?? bytes.endIndex)...])))
  }

  /// The answer to a request; nil if there is none within twenty seconds.
  private func answer(_ request: HTTPRequest) -> HTTPResponse? {
    let done = DispatchSemaphore(value: 0)
    let answer = Locked<HTTPResponse?>(nil)
    api.handle(request) { response in
      answer.withLock { $0 = response }
      done.signal()
    }
    return done.wait(timeout: .now() + 20) == .success ? answer.withLock { $0 } : nil
  }

  private func check(_ request: HTTPRequest) throws {
    guard let response = answer(request) else { throw FuzzFinding(description: "no answer") }
    // The memory of the service or its time may be too short for an input, and its disk too small.
    try FuzzFinding.unless(
      response.status < 500 || [501, 503, 507].contains(response.status),
      "\(response.status): \(String(decoding: response.body, as: UTF8.self))")
    let reports = reports.withLock { $0 }
    try FuzzFinding.unless(reports.isEmpty, "reported: \(reports)")
    let type = response.header("Content-Type") ?? ""
    if response.status >= 400, request.method != .head {
      try FuzzFinding.unless(type == "application/problem+json", "an error of type \(type)")
    }
    if type.contains("json"), response.stream == nil, response.header("Content-Encoding") == nil,
      !response.body.isEmpty
    {
      let parser = JSONParser(maximumDepth: 2000)
      guard let root = try? parser.parse(response.body) else {
        throw FuzzFinding(
          description: "not JSON: \(String(decoding: response.body, as: UTF8.self))")
      }
      if response.status >= 400 {
        let isProblem =
          root["status"]?.number == Double(response.status)
          && root["title"]?.string?.isEmpty == false
        try FuzzFinding.unless(isProblem, "a problem without its status or title")
      }
    }
    guard request.method == .get, response.status == 200, let tag = response.header("ETag"),
      let again = answer(request)
    else { return }
    try FuzzFinding.unless(
      again.header("ETag") != tag || again.body == response.body, "two answers with one tag")
  }
}
