import ClusterCore

/// `limit` and `offset` of a list.
struct Paging {
  static let names = ["limit", "offset"]
  static let defaultLimit = 1000
  /// The default of a page for people.
  static let defaultLimitOfHTML = 100
  static let maximumLimit = 10_000

  /// 0…``maximumLimit``; with 0 the answer holds only counts.
  var limit: Int
  var offset: Int

  init(
    _ fields: Fields, defaultLimit: Int = defaultLimit, maximumLimit: Int = maximumLimit
  ) throws(Problem) {
    limit = try fields.count("limit", atMost: maximumLimit) ?? defaultLimit
    // No collection can have more features.
    offset = try fields.count("offset", atMost: Int(Int32.max)) ?? 0
  }
}

extension Fields {
  /// A count. Anything above the maximum, however large, is taken as the maximum.
  fileprivate func count(_ name: String, atMost maximum: Int) throws(Problem) -> Int? {
    guard let number = try wholeNumber(name) else { return nil }
    guard number >= 0 else { throw problem(name, "\(name) is negative") }
    return number < Double(maximum) ? Int(number) : maximum
  }
}
