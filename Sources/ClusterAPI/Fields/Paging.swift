import ClusterCore

/// `limit` and `offset` of a list of features.
struct Paging {
  static let names = ["limit", "offset"]
  static let defaultLimit = 10
  static let maximumLimit = 10_000

  /// 0…``maximumLimit``; 0 only counts.
  var limit: Int
  var offset: Int

  init(_ fields: Fields) throws(Problem) {
    limit = try fields.count("limit", atMost: Paging.maximumLimit) ?? Paging.defaultLimit
    // No collection has more features.
    offset = try fields.count("offset", atMost: Int(Int32.max)) ?? 0
  }
}

extension Fields {
  /// A number of things: anything above a maximum, however large, counts as the maximum.
  fileprivate func count(_ name: String, atMost maximum: Int) throws(Problem) -> Int? {
    guard let number = try wholeNumber(name) else { return nil }
    guard number >= 0 else { throw problem(name, "\(name) is negative") }
    return number < Double(maximum) ? Int(number) : maximum
  }
}
