import CEvHTTP

extension HTTPMethod {
  /// All methods, in the order of the shim's `ceh_method`.
  private static let byNumber = allCases

  /// The method with the shim's number.
  init(_ method: ceh_method) {
    let number = Int(method.rawValue)
    self = number < HTTPMethod.byNumber.count ? HTTPMethod.byNumber[number] : .other
  }

  /// The shim's number of the method.
  var number: ceh_method {
    ceh_method(UInt32(HTTPMethod.byNumber.firstIndex(of: self) ?? 0))
  }
}
