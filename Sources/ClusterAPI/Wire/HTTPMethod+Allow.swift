import HTTPServer

extension [HTTPMethod] {
  /// The methods and OPTIONS as the field Allow has them.
  var allowList: String { (map(\.description) + ["OPTIONS"]).joined(separator: ", ") }
}
