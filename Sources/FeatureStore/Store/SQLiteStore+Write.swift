import ClusterCore

extension SQLiteStore {
  /// Runs `body` in one transaction, to which the writes within belong, so that they share one
  /// synchronization to disk: all of them are there when this returns, none if it throws.
  ///
  /// A write that throws takes the transaction with it, unless it runs in a ``savepoint(_:)``.
  /// An import can't be part of it. Rethrows what `body` throws; throws ``StoreError`` where the
  /// transaction can't be begun or committed.
  ///
  /// - Throws: the error of `body`, or ``StoreError`` if the transaction can't be begun or committed.
  public func transaction<R>(
    // Characters: ids of collections, which are of ASCII
    on ids: Set<String> = [], isTentative: Bool = false, _ body: () throws -> R
  ) throws -> R {
    let transaction = try writable().transaction
    guard !transaction.isOpen else { throw StoreError.io(reason: "a transaction is under way") }
    try transaction.open()
    do {
      let result = try body()
      try transaction.close()
      return result
    } catch {
      transaction.undo()
      throw error
    }
  }

  /// Runs a part of a ``transaction(_:)``. If it throws, its writes are undone, and nothing else.
  ///
  /// Rethrows what `body` throws. A failure of the disk may be the end of the whole transaction; then
  /// every later part throws it, and so does the transaction.
  ///
  /// - Throws: the error of `body`, or that of the whole transaction if the disk has failed.
  public func savepoint<R>(_ body: () throws -> R) throws -> R {
    try writable().transaction.part(body)
  }

  /// Inserts the features of a batch, or replaces those whose ids are there, in one transaction;
  /// makes the collection if need be.
  ///
  /// Features that need an id get the next integers, in order, from 1, above every integer id that
  /// the collection ever held or the batch gives. Of several with one id the last wins, and each
  /// but the first counts as updated; what replaces an expired feature counts as inserted. Features that
  /// don't say when they expire get the collection's time to live. When it throws the batch is
  /// unchanged too.
  ///
  /// - Complexity: O(k log n) for k features.
  public func upsert(
    _ batch: inout FeatureBatch, into id: String,
    stored: (FeatureID) -> StoredState = { _ in .absent }
  ) throws(StoreError) -> UpsertResult {
    let core = try writable()
    let unassigned = (0..<batch.count).filter { batch.withRecord(at: $0) { $0.needsID } }
    let largest = batch.largestIntegerID ?? 0
    let now = clock.now
    var settled = batch
    let (result, first) = try core.transaction.write { () throws(StoreError) in
      var (info, created) = try core.collectionToWrite(id)
      let first = try info.reserveIDs(unassigned.count, above: largest)
      settled.applyDefaultExpiry(info.expiryOfWrites(at: now))
      let counts = try core.features.write(settled, ids: first, into: info.key, at: now)
      info.featureCount += counts.newRows
      core.collections.save(info)
      let result = UpsertResult(
        inserted: counts.inserted, updated: counts.updated, info: info, createdCollection: created)
      return (result, first)
    }
    batch = settled
    for (offset, index) in unassigned.enumerated() {
      batch.assignID(first + Int64(offset), at: index)
    }
    return result
  }

  /// Deletes features, in one transaction: the collection after that, or nil if none of them is there.
  ///
  /// - Complexity: O(k log n) for k features.
  public func delete(
    _ features: [FeatureID], from id: String, stored: (FeatureID) -> StoredState = { _ in .living }
  ) throws(StoreError) -> CollectionInfo? {
    let core = try writable()
    let now = clock.now
    return try core.transaction.write { () throws(StoreError) in
      guard var info = try core.collections.find(id) else { return nil }
      var deleted = 0
      // In the order of the rows, so that each page of them is changed at once.
      let sorted = features.count > 1 ? features.sorted() : features
      for feature in sorted where try core.features.delete(feature, from: info.key, at: now) {
        deleted += 1
      }
      guard deleted > 0 else { return nil }
      info.version = core.collections.nextVersion()
      info.featureCount -= deleted
      core.collections.save(info)
      return info
    }
  }

  /// Deletes a feature: the collection after that, or nil if there is no such feature.
  ///
  /// - Throws: ``StoreError`` if the disk is full or fails.
  public func delete(_ feature: FeatureID, from id: String) throws(StoreError) -> CollectionInfo? {
    try delete([feature], from: id)
  }

  /// The most features that one ``removeExpired(from:at:atMost:)`` should delete.
  public static let expiredAtOnce = 10_000

  /// Deletes rows of features that have expired, in one transaction. Each collection gets a new version,
  /// which is above all versions that were published. After a restart it names what is left.
  ///
  /// - Parameters:
  ///   - collections: the keys of collections.
  ///   - now: in milliseconds since 1970 (UTC).
  ///   - limit: the most features to delete.
  /// - Returns: whether all were deleted; if not, some are left for another call.
  /// - Throws: ``StoreError`` if the disk is full or fails.
  public func removeExpired(
    from collections: [Int64], at now: Int64, atMost limit: Int = expiredAtOnce
  ) throws(StoreError) -> Bool {
    let core = try writable()
    return try core.transaction.write { () throws(StoreError) in
      var room = limit
      for key in collections where room > 0 {
        guard var info = try core.collections.find(key: key) else { continue }
        let removed = try core.features.deleteExpired(from: key, at: now, limit: room)
        guard removed <= info.featureCount else {
          throw .damaged(
            path: core.connection.path,
            reason: "a collection of \(info.featureCount) features has more rows")
        }
        room -= removed
        info.featureCount -= removed
        info.version = core.collections.nextVersion()
        core.collections.save(info)
      }
      return room > 0
    }
  }
}

extension CollectionInfo {
  /// When features expire that are written at a time and don't say; nil: never. In milliseconds since
  /// 1970 (UTC).
  public func expiryOfWrites(at now: Int64) -> Int64? {
    ttl.map { ttl in
      let latest = FeatureRecord.expiryRange.upperBound
      return ttl < latest - now ? now + ttl : latest
    }
  }

  /// Takes the ids of a batch into account whose largest integer is `largest`, and sets `count`
  /// integers above it aside; the first of them.
  mutating func reserveIDs(_ count: Int, above largest: Int64) throws(StoreError) -> Int64 {
    largestInteger = max(largestInteger, largest)
    let first = largestInteger + 1
    guard Int64(count) <= FeatureID.integerRange.upperBound - largestInteger else {
      throw .idsExhausted(collection: id)
    }
    largestInteger += Int64(count)
    return first
  }
}
