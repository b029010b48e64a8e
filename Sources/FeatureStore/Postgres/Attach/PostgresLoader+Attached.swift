import ClusterCore

extension PostgresLoader {
  /// About how many rows the table of an attached collection has.
  func size(of info: CollectionInfo, _ connection: PostgresConnection) throws(StoreError) -> Int {
    guard let source = info.source else { return info.featureCount }
    let found = try connection.answer(
      to: AttachedQueries.size.with { $0.add(AttachedSource(source).quoted) }
    ).first
    guard let rows = found?.integer(0), let bytes = found?.integer(1) else { return 0 }
    // Nothing is known of a table that is new.
    return Int(min(rows > 0 ? rows : bytes / 100, 1 << 30))
  }

  /// Conditions that divide an attached collection into ranges, in the order of ids. Those of texts would be unequal.
  func ranges(
    of source: AttachedSource, _ expected: Int, _ connection: PostgresConnection
  ) throws(StoreError) -> [String] {
    guard source.kind == .integer, expected >= servers.many else { return [""] }
    let safe = FeatureID.integerRange
    let found = try connection.once(
      """
      SELECT min(f.row_id)::bigint, max(f.row_id)::bigint FROM \(source.quoted) AS f
      WHERE f.row_id BETWEEN \(safe.lowerBound) AND \(safe.upperBound)
      """, within: 60)?.first
    guard let first = found?.integer(0), let last = found?.integer(1), safe.contains(first),
      safe.contains(last), first < last
    else { return [""] }
    let parts = Int64(min(max(expected / 25_000, 2), 256))
    let width = (last - first) / parts + 1
    var ranges: [String] = []
    for part in 0..<parts {
      let (begin, end) = (first + part * width, min(first + (part + 1) * width, last + 1))
      guard begin < end else { break }
      ranges.append(" AND f.row_id >= \(begin) AND f.row_id < \(end)")
    }
    // Larger numbers are texts, which come after the numbers.
    return ranges + [" AND (f.row_id < \(safe.lowerBound) OR f.row_id > \(safe.upperBound))"]
  }
}
