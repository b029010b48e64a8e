/// The error for a well-formed request that asks for something out of range or impossible.
public struct ImpossibleRequest: Error, Sendable {
  /// The name of the field at fault, as clients know it.
  public var field: String
  /// A message for the client: the error, and a value that would be accepted.
  public var detail: String

  /// Whether the only reason is that the service has too little memory for the request now.
  public private(set) var isOutOfMemory = false

  /// The error of a request that takes more memory than the service has.
  public static let outOfMemory = ImpossibleRequest(
    field: "", detail: "the service is out of memory", isOutOfMemory: true)

  /// The error of a request whose work was cancelled, which no client sees: the answer has the
  /// reason.
  static let cancelled = ImpossibleRequest(field: "", detail: "the work was cancelled")
}

extension ImpossibleRequest {
  /// Creates the error.
  public init(field: String, detail: String) {
    self.init(field: field, detail: detail, isOutOfMemory: false)
  }

  /// Calls `body` with bytes set aside for its large allocations, or throws ``outOfMemory``.
  static func withMemory<R>(
    of byteCount: Int, _ body: () throws(ImpossibleRequest) -> R
  ) throws(ImpossibleRequest) -> R {
    guard let result = try LargeMemory.withReserve(byteCount, body) else { throw .outOfMemory }
    return result
  }

  /// Throws unless the value of a field, or of the described part of it, is within a range.
  static func check<Value>(
    _ field: String, part: String? = nil, _ value: Value, in range: ClosedRange<Value>
  ) throws(ImpossibleRequest) {
    guard range.contains(value) else {
      throw ImpossibleRequest(
        field: field,
        detail: "\(part.map { "the \($0) of " } ?? "")\(field) is \(plain(value)), outside of "
          + "\(plain(range.lowerBound))…\(plain(range.upperBound))")
    }
  }

  /// Throws unless a size is positive and at most 1e9.
  static func check(size field: String, _ value: Double) throws(ImpossibleRequest) {
    guard value > 0, value <= 1e9 else {
      throw ImpossibleRequest(
        field: field, detail: "\(field) is \(plain(value)), not above 0 and up to 1e9")
    }
  }

  /// The text of a number, without decimals if it is whole: 4 rather than 4.0.
  static func plain(_ value: some Any) -> String {
    guard let value = value as? Double, value == value.rounded(), abs(value) < 1e15 else {
      return "\(value)"
    }
    return String(Int(value))
  }
}
