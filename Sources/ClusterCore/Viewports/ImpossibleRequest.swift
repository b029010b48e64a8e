/// A request that is well-formed but asks for something out of range or impossible.
public struct ImpossibleRequest: Error, Sendable {
  /// The request's field that is to blame, by the name clients use.
  public var field: String
  /// What is wrong with it and what would do, in words for the client.
  public var detail: String

  /// Creates the error.
  public init(field: String, detail: String) {
    self.field = field
    self.detail = detail
  }

  /// A value outside of a range.
  static func check(
    _ field: String, _ value: Double, in range: ClosedRange<Double>
  ) throws(ImpossibleRequest) {
    guard range.contains(value) else {
      throw ImpossibleRequest(
        field: field,
        detail: "\(field) is \(plain(value)), outside of \(plain(range.lowerBound))…"
          + plain(range.upperBound))
    }
  }

  /// A value outside of a range.
  static func check(
    _ field: String, _ value: Int, in range: ClosedRange<Int>
  ) throws(ImpossibleRequest) {
    guard range.contains(value) else {
      throw ImpossibleRequest(
        field: field,
        detail: "\(field) is \(value), outside of \(range.lowerBound)…\(range.upperBound)")
    }
  }

  /// A number as people write it: 4 rather than 4.0.
  static func plain(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
  }
}
