/// The writes that wait for the writer. Those of one client stay in order. Beside those of others, quick ones
/// never wait for more than one that is not.
package struct WriteQueue: Sendable {
  /// The most writes of a transaction.
  static let maximumGroup = 1024
  /// The features of a transaction after which it takes no more, in bytes.
  static let maximumGroupBytes = 2 << 20
  /// As much of what one client writes is quick, in bytes.
  private static let quickBytes = 64 << 10

  /// The times of a write in nanoseconds: how long it waited for the writer, and how long the transaction took until it was
  /// committed, and the commit, with which it was on disk; and the number of writes in the transaction.
  package typealias Times = (waited: UInt, applied: UInt, committed: UInt, group: Int)

  /// Is told the times of a write, before its outcome.
  package typealias Note = @Sendable (Times) -> Void
  /// Is called once with what a write came to, on the writer's queue.
  package typealias Answer = @Sendable (Result<WriteOutcome, any Error>) -> Void

  /// A write that waits.
  struct Job: Sendable {
    let write: Write
    /// The memory that it takes until it is done; given back then.
    let share: WriteMemory.Share
    /// When it came, on a monotonic clock.
    let start: UInt
    let note: Note
    let answer: Answer
  }

  private var waiting: [UInt64: [Job]] = [:]
  /// The clients whose writes wait, the next one first.
  private var turns: [UInt64] = []
  private var quickAreNext = true

  /// The number of writes.
  private(set) var count = 0

  /// Adds a write after those of the same client.
  mutating func append(_ job: Job) {
    let client = job.share.client
    if waiting[client] == nil { turns.append(client) }
    waiting[client, default: []].append(job)
    count += 1
  }

  /// Takes the next writes that may share a transaction, or one that may not; none if none waits. O(clients and
  /// the writes of some).
  mutating func takeGroup() -> [Job] {
    defer { quickAreNext.toggle() }
    if quickAreNext {
      let quick = takeQuick()
      return quick.isEmpty ? takeTurn() : quick
    }
    let turn = takeTurn()
    return turn.isEmpty ? takeQuick() : turn
  }

  /// Takes everything.
  mutating func takeAll() -> [Job] {
    defer { self = WriteQueue() }
    return turns.flatMap { waiting[$0] ?? [] }
  }

  /// Takes the first quick writes of every client.
  private mutating func takeQuick() -> [Job] {
    var (taken, bytes): ([Job], Int) = ([], 0)
    var (served, others): ([UInt64], [UInt64]) = ([], [])
    for client in turns {
      guard bytes < WriteQueue.maximumGroupBytes, taken.count < WriteQueue.maximumGroup else {
        others.append(client)
        continue
      }
      // A single client keeps no other waiting.
      let limit = turns.count == 1 ? WriteQueue.maximumGroupBytes : WriteQueue.quickBytes
      let count = runOfSmall(client, within: limit, atMost: WriteQueue.maximumGroup - taken.count)
      for job in take(count, of: client) {
        bytes += job.write.bytes
        taken.append(job)
      }
      if count == 0 {
        others.append(client)
      } else if waiting[client] != nil {
        served.append(client)
      }
    }
    // Those for whom there was no room are next.
    turns = others + served
    return taken
  }

  /// Takes the first writes of the next client whose first one isn't quick.
  private mutating func takeTurn() -> [Job] {
    let next = turns.firstIndex { client in
      waiting[client]?.first.map {
        !$0.write.isSmall || $0.write.bytes > WriteQueue.quickBytes
      } ?? false
    }
    guard let next else { return [] }
    let client = turns.remove(at: next)
    let count = runOfSmall(
      client, within: WriteQueue.maximumGroupBytes, atMost: WriteQueue.maximumGroup)
    let taken = take(max(count, 1), of: client)
    if waiting[client] != nil { turns.append(client) }
    return taken
  }

  /// The number of a client's first writes that may share a transaction and have so many bytes together.
  private func runOfSmall(_ client: UInt64, within limit: Int, atMost most: Int) -> Int {
    var (count, bytes) = (0, 0)
    for job in (waiting[client] ?? []).prefix(most) {
      bytes += job.write.bytes
      guard job.write.isSmall, bytes <= limit else { break }
      count += 1
    }
    return count
  }

  private mutating func take(_ count: Int, of client: UInt64) -> [Job] {
    let taken = Array((waiting[client] ?? []).prefix(count))
    waiting[client]?.removeFirst(taken.count)
    self.count -= taken.count
    if waiting[client]?.isEmpty == true { waiting[client] = nil }
    return taken
  }
}
