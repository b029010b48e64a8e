import ClusterCore
import Dispatch
import Threading

/// Reads all rows of a collection. One thread reads them; another one checks them and hands them to a
/// consumer.
struct RowLoader {
  /// Batches that are on their way from one thread to the other, and back to be filled again.
  private final class Belt: Sendable {
    let full = Locked<[ReadRows?]>([])
    let empty = Locked<[ReadRows]>([])
    let arrivals = DispatchSemaphore(value: 0)
    let room = DispatchSemaphore(value: 0)
    /// Why the consumer has had enough.
    let failure = Locked<(any Error)?>(nil)
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

  /// Hands over all features that haven't expired by now; how many have. The consumer's thread has ended
  /// when this returns.
  func load(into consumer: some RowConsumer) throws -> Int {
    let reader = try RowReader(
      core.connection, allOf: info.key, hasChecksums: info.hasChecksums, now: now)
    let belt = Belt()
    let (key, path, expected) = (info.key, core.connection.path, info.featureCount)
    let thread = DispatchQueue(label: "pincluster.load")
    thread.async {
      RowLoader.feed(consumer, from: belt, RowChecker(key, path: path))
      belt.end.signal()
    }
    let read = Result { () throws(StoreError) in try self.read(reader, belt) }
    belt.put(nil)
    belt.end.wait()
    let total = try read.get()
    if let failure = belt.failure.withLock({ $0 }) { throw failure }
    guard total == expected else {
      throw StoreError.damaged(
        path: path, reason: "a collection of \(expected) features has \(total) rows")
    }
    // Expired rows are found by their index: it must know of every one.
    guard try core.features.countExpiring(in: key) == reader.expiring else {
      throw StoreError.damaged(
        path: path, reason: "the index of expiries isn't that of the features")
    }
    return reader.expired
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

  private static func feed(
    _ consumer: some RowConsumer, from belt: Belt, _ checker: RowChecker
  ) {
    var hasFailed = false
    while var rows = belt.take() {
      if !hasFailed {
        do {
          try checker.check(rows)
          try consumer.take(rows.living.batch)
        } catch {
          hasFailed = true
          belt.failure.withLock { $0 = error }
        }
      }
      rows.removeAll()
      belt.empty.withLock { [rows] in $0.append(rows) }
      belt.room.signal()
    }
  }
}
