import ClusterCore
import Dispatch
import Guards

/// Makes the index of a collection out of all its rows. One thread reads them; another one checks them
/// and puts them together.
struct RowLoader {
  /// Batches that are on their way from one thread to the other, and back to be filled again.
  private final class Belt: Sendable {
    let full = Guarded<[ReadRows?]>([])
    let empty = Guarded<[ReadRows]>([])
    let arrivals = DispatchSemaphore(value: 0)
    let room = DispatchSemaphore(value: 0)
    let outcome = Guarded<Result<FeatureIndex, any Error>?>(nil)
    /// Whether the rest doesn't matter any more.
    let hasFailed = Guarded(false)
    let end = DispatchSemaphore(value: 0)

    /// Hands rows over; nil at the end.
    func put(_ rows: ReadRows?) {
      full.withLock { $0.append(rows) }
      arrivals.signal()
    }

    func take() -> ReadRows? {
      arrivals.wait()
      return full.withLock { $0.removeFirst() }
    }
  }

  private static let batchSize = 8192
  private static let batches = 3

  private let core: Core
  private let info: CollectionInfo
  private let now: Int64

  init(_ core: Core, _ info: CollectionInfo, now: Int64) {
    (self.core, self.info, self.now) = (core, info, now)
  }

  /// The index of all features that haven't expired by now, and how many have.
  func load() throws -> (index: FeatureIndex, expired: Int) {
    let reader = try RowReader(
      core.connection, allOf: info.key, hasChecksums: info.hasChecksums, now: now)
    let belt = Belt()
    let (key, path, expected) = (info.key, core.connection.path, info.featureCount)
    let thread = DispatchQueue(label: "pincluster.load")
    thread.async {
      RowLoader.build(belt, RowChecker(key, path: path), expecting: expected)
      belt.end.signal()
    }
    defer { belt.end.wait() }
    let total: Int
    do {
      total = try read(reader, belt)
    } catch {
      belt.hasFailed.withLock { $0 = true }
      belt.put(nil)
      throw error
    }
    belt.put(nil)
    belt.end.wait()
    // For the one above.
    belt.end.signal()
    guard let outcome = belt.outcome.withLock({ $0 }) else {
      throw StoreError.io(reason: "the index wasn't built")
    }
    let index = try outcome.get()
    guard total == expected else {
      throw StoreError.damaged(
        path: path, reason: "a collection of \(expected) features has \(total) rows")
    }
    // Expired rows are found by their index: it must know of every one.
    guard try core.features.countExpiring(in: key) == reader.expiring else {
      throw StoreError.damaged(
        path: path, reason: "the index of expiries isn't that of the features")
    }
    return (index, reader.expired)
  }

  /// Reads all rows; how many.
  private func read(_ reader: RowReader, _ belt: Belt) throws(StoreError) -> Int {
    var total = 0
    var made = 0
    while true {
      if made < RowLoader.batches { made += 1 } else { belt.room.wait() }
      var rows = belt.empty.withLock { $0.popLast() } ?? ReadRows()
      guard try reader.fill(&rows, upTo: RowLoader.batchSize) else { return total }
      total += rows.count
      belt.put(rows)
    }
  }

  private static func build(_ belt: Belt, _ checker: RowChecker, expecting count: Int) {
    var builder = FeatureIndexBuilder(expecting: count)
    var failure: (any Error)?
    while var rows = belt.take() {
      if failure == nil {
        do {
          try checker.check(rows)
          try builder.append(rows.living.batch)
        } catch { failure = error }
      }
      rows.removeAll()
      belt.empty.withLock { [rows] in $0.append(rows) }
      belt.room.signal()
    }
    if belt.hasFailed.withLock({ $0 }) { return }
    let outcome: Result<FeatureIndex, any Error> =
      failure.map { .failure($0) } ?? .success(builder.build())
    belt.outcome.withLock { $0 = outcome }
  }
}
