import ClusterCore

extension CollectionInfo {
  /// Reads the columns of ``PostgresQueries``.
  init(_ row: PostgresResult.Row, of address: PostgresAddress) throws(StoreError) {
    let plausible: ClosedRange<Int64> = 0...FeatureID.integerRange.upperBound
    guard let key = row.integer(0), let id = row.text(1), let version = row.integer(4),
      let largest = row.integer(5), let count = row.integer(6), let trimmed = row.integer(10),
      [version, largest, count, row.integer(7) ?? 0, trimmed].allSatisfy(plausible.contains)
    else { throw .damaged(path: address.name, reason: "a collection's row makes no sense") }
    self.init(
      key: key, id: id, title: row.text(2), description: row.text(3), version: version,
      largestInteger: largest, featureCount: Int(count), ttl: row.integer(7),
      temporal: TemporalProperties(start: row.text(8), end: row.text(9)), hasChecksums: false,
      trimmed: trimmed, source: row.text(11), token: row.integer(13) ?? 0,
      time: max(row.integer(14) ?? 0, 0))
    guard let noted = row.integer(12), source == nil else { return }
    guard noted == checksum else {
      throw .damaged(
        path: address.name,
        reason: "the row of the collection \(id) doesn't have its checksum: it was changed by hand")
    }
  }

  /// Reads all rows of an answer.
  static func all(
    _ answer: PostgresResult, of address: PostgresAddress
  ) throws(StoreError) -> [CollectionInfo] {
    var infos: [CollectionInfo] = []
    for row in answer { infos.append(try CollectionInfo(row, of: address)) }
    return infos
  }

  /// Reads the rows of an answer that make sense; the keys of the others, as far as they have one, and the first error.
  static func readable(
    _ answer: PostgresResult, of address: PostgresAddress
  ) -> (infos: [CollectionInfo], unreadable: (keys: [Int64], error: StoreError?)) {
    var infos: [CollectionInfo] = []
    var (keys, error): ([Int64], StoreError?) = ([], nil)
    for row in answer {
      do throws(StoreError) {
        infos.append(try CollectionInfo(row, of: address))
      } catch let fault {
        keys += [row.integer(0)].compactMap(\.self)
        error = error ?? fault
      }
    }
    return (infos, (keys, error))
  }
}
