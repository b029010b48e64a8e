/// What the service refuses, as RFC 9457 has it.
public struct Problem: Error, Codable, Hashable, Sendable {
  /// What is wrong with one part of a request.
  public struct Fault: Codable, Hashable, Sendable {
    /// A JSON pointer into the body, or the name of a query parameter.
    public var pointer: String
    /// What is wrong, and what would do.
    public var detail: String
  }

  /// The URI of the kind of problem.
  public var type: String?
  /// A title.
  public var title: String?
  /// The HTTP status.
  public var status: Int
  /// What is wrong, and what would do.
  public var detail: String?
  /// What is wrong with single parts of the request.
  public var errors: [Fault]?
  /// The seconds after which to try again, if the service says so.
  public internal(set) var retryAfter: Double?
  /// The version of the collection at which a write was refused with the status 404 or 412.
  public internal(set) var version: Int?

  private enum CodingKeys: String, CodingKey { case type, title, status, detail, errors }

  /// A refusal that says nothing but its status.
  init(status: Int) { self.status = status }

  /// Whether a condition of a write didn't hold.
  public var isFailedPrecondition: Bool { status == 412 }
  /// Whether what was asked for is not there.
  public var isNotFound: Bool { status == 404 }
}
