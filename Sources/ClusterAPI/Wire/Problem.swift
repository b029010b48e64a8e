import AccessControl
import ClusterCore
import Collections
import FeatureStore
import GeoFormats
import HTTPServer
import Texts

/// An error as clients see it: RFC 9457 `application/problem+json`.
struct Problem: Error, Sendable {
  /// One error of a request: a JSON pointer into the body or the name of a query's field, and a message.
  struct Item: Sendable {
    var pointer: String
    var detail: String
  }

  /// The HTTP status.
  var status: Int
  /// The error, for people.
  var detail: String
  /// The single errors.
  var items: [Item]
  /// Further header fields, such as Allow.
  var headers: [(name: String, value: String)]
  /// The reason of a refusal for the sake of others; it is counted when the answer is sent.
  var refusal: Refusal?

  /// Creates a problem.
  init(
    _ status: Int, _ detail: String, items: [Item] = [],
    headers: [(name: String, value: String)] = [], refusal: Refusal? = nil
  ) {
    (self.status, self.detail) = (status, detail)
    (self.items, self.headers, self.refusal) = (items, headers, refusal)
  }

  /// A problem with one field or parameter.
  init(_ status: Int, field: String, inBody: Bool, _ detail: String) {
    self.init(
      status, detail, items: [Item(pointer: inBody ? "/\(field)" : field, detail: detail)])
  }

  /// There is nothing at an address.
  static func notFound(_ detail: String) -> Problem { Problem(404, detail) }

  /// The service can't answer now; the client may try again in a second.
  static func unavailable(_ detail: String, _ refusal: Refusal? = nil) -> Problem {
    Problem(503, detail, headers: [("Retry-After", "1")], refusal: refusal)
  }

  /// The work for a read, with its waiting, takes longer than it may.
  static func late(_ seconds: Int) -> Problem {
    unavailable("this takes longer than the \(seconds) s that a request has", .time)
  }

  /// The client's address has more than its share of something; the client may try again in a second.
  static func overShare(_ detail: String) -> Problem {
    Problem(429, detail, headers: [("Retry-After", "1")], refusal: .addressShare)
  }

  /// The request holds more than the service takes.
  static func tooLarge(_ detail: String, _ refusal: Refusal = .bodySize) -> Problem {
    Problem(413, detail, refusal: refusal)
  }

  /// There is no memory for another write.
  static let tooManyWrites = unavailable("too many writes are waiting", .writeMemory)
  /// There is no memory for another write of the client's address.
  static let tooManyOwnWrites = overShare("too many writes of this client are waiting")
  /// The database that the instances share can't be reached.
  static let storeAway = unavailable("the database is away; nothing was changed", .storeAway)
  /// The answer to a request that comes too late to be begun.
  static let stopping = unavailable("the service is stopping")
  /// The collection in a path isn't there.
  static let noCollection = notFound("there is no such collection")
  /// There is one, but its table can't be read.
  static let unread = unavailable(
    "the collection's table can't be read now, as the log tells; it is tried again")
  /// The feature in a path isn't there.
  static let noFeature = notFound("the collection has no such feature")

  /// The response to a request: a page for clients that take JSON but prefer HTML, as browsers do.
  func response(to request: HTTPRequest) -> HTTPResponse {
    // A long list isn't parsed.
    guard [.get, .head].contains(request.method), request.headers["accept"] != nil,
      request.headers.longList == nil, request.negotiateLeniently([.json, .html]) == .html,
      (try? request.negotiate([.json], format: nil)) != nil
    else { return response }
    var page = HTMLPage(
      HTTPStatus.phrase(status), description: detail, status: status, base: nil, for: request)
    if items.count == 1, items[0].detail.isSame(as: detail) {
      page.html.add("<p>Where: <code>\(items[0].pointer)</code></p>")
    } else if !items.isEmpty {
      page.html.marks("<table class=\"values\"><tbody>")
      for item in items {
        page.html.add("<tr><th scope=\"row\">\(item.pointer)</th><td>\(item.detail)</td></tr>")
      }
      page.html.marks("</tbody></table>")
    }
    return page.response(status: status, headers: headers)
  }

  /// The response to programs.
  var response: HTTPResponse {
    var json = JSONWriter()
    json.write([
      "type": "about:blank", "title": .string(HTTPStatus.phrase(status)),
      "status": .integer(status), "detail": .string(detail), "errors": .errors(items),
    ])
    return HTTPResponse(
      status: status, headers: [("Content-Type", "application/problem+json")] + headers,
      body: json.bytes)
  }
}

extension JSONLiteral {
  /// The single errors of a problem.
  static func errors(_ items: [Problem.Item]) -> JSONLiteral {
    .array(items.map { ["pointer": .string($0.pointer), "detail": .string($0.detail)] })
  }
}

extension Problem {
  /// The problem for any error of the targets below. An internal failure goes to the log (`report`), not
  /// to the client.
  static func from(
    _ error: any Error, bodyFields: Bool, report: (String) -> Void = { _ in }
  ) -> Problem {
    switch error {
    case let problem as Problem: return problem
    case let failure as AccessFailure: return Problem(failure)
    case let rejection as WriteOutcome.Rejection: return Problem(rejection)
    case let error as CollectionsError: return Problem(error)
    case let error as SingleFeature.Failure: return Problem(error)
    case let failure as VersionWaits.Failure: return Problem(failure)
    case let error as ImpossibleRequest where error.isOutOfMemory:
      return .unavailable(error.detail, .memory)
    case let error as ImpossibleRequest:
      return Problem(422, field: error.field, inBody: bodyFields, error.detail)
    case let error as JSONError where error != .outOfMemory:
      return Problem(400, "the body is not JSON: \(error)")
    case is JSONError, FormatError.outOfMemory:
      return .unavailable("the service is out of memory", .memory)
    case FormatError.malformed(let detail, let offset):
      let position = offset.map { " (at byte \($0))" } ?? ""
      return Problem(400, "the body can't be read: \(detail)\(position)")
    case FormatError.tooLarge(let detail): return .tooLarge(detail)
    case FormatError.noRoom: return .tooManyWrites
    case FormatError.notFeatures(let pointer, let detail):
      return Problem(422, detail, items: [Item(pointer: pointer, detail: detail)])
    case StoreError.idsExhausted:
      return Problem(422, "the collection has no integer id left to assign: give each feature one")
    case let error as StoreError:
      switch error {
      // Told by the link's state or by another write, and a mistake of the client.
      case .away(reason: ""), .attached: break
      default: report("\(error)")
      }
      return switch error {
      case .away, .conflict, .dropped: .storeAway
      case .uncertain:
        Problem(
          504, "the database failed while it stored this; it isn't known whether it has stored it"
        )
      case .attached:
        Problem(
          409,
          "the collection shows a table of the database and is written there; pincluster detach ends that"
        )
      case .noMemory:
        .unavailable(
          "this instance has no memory for what others have written to the collection; nothing was changed",
          .memory)
      case .full: Problem(507, "the disk is full; nothing was changed")
      case .gone:
        .unavailable("the data directory has been removed or replaced; nothing was changed")
      case .readOnly: .unavailable("the store can't be written; nothing was changed")
      default: Problem(500, "the store failed; nothing was changed")
      }
    case is RecordArena.Full:
      report("the memory for features is full")
      return Problem(507, "the service can't hold more features")
    default:
      report("\(error)")
      return Problem(500, "something went wrong inside; the log says more")
    }
  }
}
