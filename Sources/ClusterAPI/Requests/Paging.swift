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
    let limit = try fields.integer("limit") ?? Paging.defaultLimit
    guard limit >= 0 else { throw fields.problem("limit", "limit is negative") }
    self.limit = min(limit, Paging.maximumLimit)
    offset = try fields.integer("offset") ?? 0
    guard offset >= 0 else { throw fields.problem("offset", "offset is negative") }
  }
}
