/// A collection as it is now, with its latest changes.
struct DatedSnapshot: Sendable {
  let snapshot: CollectionSnapshot
  /// Nil for the store of one process, and where it isn't known.
  let recent: RecentSteps?

  /// The time up to which all changes are in the snapshot, in microseconds since 1970 (UTC), however many there were; 0 if
  /// there is none to tell.
  var settled: Int64 { recent?.settled ?? 0 }
}
