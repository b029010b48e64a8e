/// A refusal by the service, as RFC 9457 has it.
public struct Problem: Error, Codable, Hashable, Sendable {
  /// The error of one part of a request.
  public struct Fault: Codable, Hashable, Sendable {
    /// A JSON pointer into the body, or the name of a query parameter.
    public var pointer: String
    /// The error, and the remedy.
    public var detail: String
  }

  /// The URI of the kind of problem.
  public var type: String?
  /// A title.
  public var title: String?
  /// The HTTP status.
  public var status: Int
  /// The error, and the remedy.
  public var detail: String?
  /// The errors of single parts of the request.
  public var errors: [Fault]?
  /// The seconds after which to try again, if the service says so.
  public internal(set) var retryAfter: Double?
  /// The version of the collection at which a write was refused with the status 404 or 412.
  public internal(set) var version: Int?

  private enum CodingKeys: String, CodingKey { case type, title, status, detail, errors }

  /// A refusal without details.
  init(status: Int) { self.status = status }

  /// Whether a condition of a write didn't hold.
  public var isFailedPrecondition: Bool { status == 412 }
  /// Whether the requested resource doesn't exist.
  public var isNotFound: Bool { status == 404 }
}
