/// The wait of the writer for writes that are about to come, so that they share a transaction.
///
/// Clients who each send a write after the answer to the one before would otherwise fall into two halves: one waits
/// for the transaction of the other, and each costs a round trip to a database. So the writer waits after a transaction
/// until as many writes are there as were under way, though only for a part of the time that the transaction took. Where
/// that didn't help it isn't done for a while. With PostgreSQL, 16 clients write a sixth more; 64 clients wrote a fifteenth
/// less, and with SQLite 16 a seventh less, so many writes aren't waited for, nor those to a store of its own.
struct WriteGathering {
  /// The most writes that are waited for.
  private static let most = 32
  /// The longest wait, in nanoseconds.
  private static let longest: UInt = 500_000
  /// The most transactions for which there is no wait after one that didn't help.
  private static let longestPause = 256

  /// The number of writes that are waited for; none if it is 0.
  private var expected = 0
  /// When a wait for them ends at the latest, on a monotonic clock, in nanoseconds.
  private(set) var deadline: UInt = 0
  /// The number of transactions for which there is still no wait, and from how many on the next pause is.
  private var (pause, nextPause) = (0, 1)

  /// The number of writes to wait for at a time; nil for none.
  func count(at now: UInt) -> Int? { expected > 1 && now < deadline ? expected : nil }

  /// Takes note of a transaction of so many writes, after which others wait already.
  mutating func ended(_ count: Int, waiting: Int, from start: UInt, to end: UInt) {
    if pause > 0 { pause -= 1 }
    expected = pause > 0 || count + waiting > WriteGathering.most ? 0 : count + waiting
    deadline = end + min((end - start) / 2, WriteGathering.longest)
  }

  /// Takes note of how many writes there were after a wait, and how many before it.
  mutating func waited(from before: Int, to after: Int) {
    let helped = (after - before) * 2 >= expected - before
    (pause, nextPause) =
      helped ? (0, 1) : (nextPause, min(nextPause * 2, WriteGathering.longestPause))
    expected = 0
  }
}
