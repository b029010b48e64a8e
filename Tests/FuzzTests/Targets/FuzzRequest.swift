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
/// An input is a line with a method and a target, lines of fields, an empty line, and the body. One that doesn't say who
/// sends it may do everything.
final class FuzzRequest: Sendable {
  /// Writes of earlier inputs are forgotten now and then.
  private static let current = Locked<(service: FuzzRequest, uses: Int)?>(nil)
  private static let mostUses = 2000
  /// Of one who may do everything, one who sees a part of one collection, and one who writes such a part.
  private static let keys = """
    admin:fuzz-admin-key
    {"key": "fuzz-reader-key", "scope": "read", "collections": ["c*"], "filter": "k = '1'"}
    {"key": "fuzz-writer-key", "scope": "write", "filter": "n < 50 OR n IS NULL"}
    """

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
    var keys = AccessControl.Configuration()
    keys.keyFile = try FuzzFiles.write(FuzzRequest.keys.utf8, to: "request-keys")
    api = API(
      catalog: catalog, writer: writer, metrics: Metrics(), maxWait: 0,
      access: try AccessControl(keys)
    ) { text in
      reports.withLock { $0.append(text) }
    }
    let features = (0..<400).map(FuzzRequest.feature)
    let body = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    let stored = FuzzRequest.request(
      "POST /collections/c/items\nContent-Type: application/geo+json\n\n\(body)".utf8
    ).flatMap(answer)
    try FuzzFinding.unless(stored?.status == 200, "the first features are not stored")
  }

  deinit {
    api.close()
    writer.close()
  }

  /// A feature in a grid of 200, or one of as many at the edges of the world, and of what an id and properties can be.
  private static func feature(_ number: Int) -> String {
    var random = SeededGenerator(seed: UInt64(number))
    var (id, place) = ("\(number)", "\(number % 20).5,\(number / 20)")
    if number >= 200 {
      let longitude = random.pick(["-180", "180", "179.99999", "0", "1e-7", "11.25", "-0.0"])
      let latitude = random.pick(["-90", "90", "85.05112878", "66.51326044311186", "0", "17.25"])
      id = random.pick(["-\(number)", "\"id-\(number)\"", "\"ü \(number)/&?#\""])
      place = "\(longitude),\(latitude)" + random.pick(["", ",12.5"])
    }
    let priority = random.pick(["0", "250", "750.5", "1000", "\"high\"", "null"])
    let mixed = random.pick(["5", "\"5\"", "true", "null", "[1,2]", #"{"a":{"b":null}}"#])
    let kind = random.pick(["a", "ü", "", "a/b~c", "it's", "100%_\\\\", "Kreuzberg"])
    return """
      {"type":"Feature","id":\(id),"geometry":{"type":"Point","coordinates":[\(place)]},"properties":{\
      "n":\(number),"k":"\(number % 3)","t":"2020-01-0\(number % 9 + 1)","priority":\(priority),\
      "mixed":\(mixed),"kind":"\(kind)"}}
      """
  }

  private static func request(_ input: some Sequence<UInt8>) -> HTTPRequest? {
    let bytes = Array(input)
    let end = bytes.firstRange(of: [0x0A, 0x0A])
    let head = bytes[..<(end?.lowerBound ?? bytes.endIndex)]
    var lines = String(decoding: head, as: UTF8.self).split(separator: "\n")[...]
    guard let first = lines.popFirst(), let space = first.firstIndex(of: " ") else { return nil }
    let target = first[first.index(after: space)...]
    let mark = target.firstIndex(of: "?")
    var fields = lines.compactMap { line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      return (name: String(line[..<colon]), value: String(value))
    }
    if !fields.contains(where: { $0.name.lowercased() == "authorization" }) {
      fields.append((name: "Authorization", value: "Bearer fuzz-admin-key"))
    }
    return HTTPRequest(
      method: HTTPMethod(rawValue: String(first[..<space])) ?? .other,
      path: String(target[..<(mark ?? target.endIndex)]),
      query: mark.map { String(target[target.index(after: $0)...]) },
      headers: HTTPHeaders(fields),
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
      let wishes = [request.query ?? "", request.headers["Accept"] ?? ""]
      // A client may prefer anything else to JSON.
      let asksForPage = wishes.contains { $0.contains("html") || $0.contains("/*") }
      try FuzzFinding.unless(
        type == "application/problem+json" || asksForPage && type.hasPrefix("text/html"),
        "an error of type \(type)")
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
