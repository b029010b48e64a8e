import CEvHTTP

/// The method of a request. Its raw value is the word in the request line.
public enum HTTPMethod: String, Sendable, CaseIterable, CustomStringConvertible {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case delete = "DELETE"
  case options = "OPTIONS"
  case patch = "PATCH"
  case trace = "TRACE"
  case connect = "CONNECT"
  /// Any other method.
  case other = "OTHER"

  /// The word in the request line; `OTHER` for ``other``.
  public var description: String { rawValue }
}

extension HTTPMethod {
  /// All methods, in the order of the shim's `ceh_method`.
  private static let byNumber = allCases

  /// The method with the shim's number.
  init(_ method: ceh_method) {
    let number = Int(method.rawValue)
    self = number < HTTPMethod.byNumber.count ? HTTPMethod.byNumber[number] : .other
  }
}
