import Synchronization

/// The memory of how long reads have taken, by which the next ones begin where their time fits: on the event loop where they
/// came in, among the quick work of a ``WorkQueue``, or among the long work.
///
/// Each of these places has a budget of processor time, and work that needs more moves on to the next place, where it begins
/// again. A time counts as long as none of its kind takes longer, and loses an eighth by each that takes less: a kind of which
/// now and then one is expensive stays away from event loops, and a client that asks for cheap and expensive reads in turn costs
/// a loop its budget once in a dozen requests or more.
///
/// Clients are remembered in the same way: one whose reads were given up on an event loop has its next reads of kinds that
/// nothing is known of begin elsewhere, until a dozen of them were short. A client that asks for another kind each time costs
/// event loops their budget once, too.
///
/// Only times above the budget of an event loop are kept. The memory is a table of fixed size, in which a kind takes the
/// place of another that falls on the same slot. Nothing waits for a lock.
final class ReadTimes: Sendable {
  /// The number of slots, and of the low bits of a slot that are the time in microseconds. The others say which of the kinds of
  /// a slot it holds.
  private static let (count, timeBits): (Int, UInt64) = (4096, 24)
  private static let mostMicroseconds: UInt64 = 1 << timeBits - 1

  private let slots = InlineArray<4096, Atomic<UInt64>> { _ in Atomic(0) }
  /// The processor time after which an event loop gives up, without end if it is 0; that from which reads of a kind begin
  /// elsewhere; and that of quick work; in nanoseconds.
  private let (mostOnLoop, loop, quick): (UInt, UInt, UInt)

  /// - Parameters:
  ///   - mostOnLoop: the processor time after which an event loop gives up a read, in nanoseconds; 0 for never. Reads of a kind
  ///     that is known to take a good part of that begin elsewhere: to go by less would send small reads away, which take more
  ///     than usual now and then, to wait behind larger ones.
  ///   - quick: the budget of quick work.
  init(mostOnLoop: UInt, quick: UInt = WorkSchedule.mostQuick) {
    (self.mostOnLoop, self.quick) = (mostOnLoop, quick)
    loop = mostOnLoop > 0 ? max(mostOnLoop / 4, 1) : 0
  }

  /// The time that a read of a kind is expected to take, in nanoseconds; 0 if it fits an event loop as far as is known.
  func time(of kind: ReadKind) -> UInt {
    let slot = slots[ReadTimes.place(of: kind)].load(ordering: .relaxed)
    guard slot >> ReadTimes.timeBits == ReadTimes.tag(of: kind) else { return 0 }
    return UInt(slot & ReadTimes.mostMicroseconds) * 1000
  }

  /// The place for a read that takes some time; nil for an event loop.
  func lane(for time: UInt) -> WorkQueue.Lane? {
    time < loop || loop == 0 ? nil : time < quick ? .quick : .long
  }

  /// The place where a read begins; nil for the event loop where it came in.
  func lane(for kind: ReadKind, of client: UInt64) -> WorkQueue.Lane? {
    let time = time(of: kind)
    if time > 0 { return lane(for: time) }
    return self.time(of: ReadKind(client: client)) > 0 ? .quick : nil
  }

  /// Notes how long a read of a client has taken, in nanoseconds of processor time.
  ///
  /// - Parameter isDone: whether that is all of it, as it was done to its end.
  func note(_ time: UInt, of kind: ReadKind, by client: UInt64, isDone: Bool) {
    let isLong = time >= mostOnLoop
    if self.time(of: kind) == 0, isDone || isLong {
      note(isLong ? mostOnLoop : 0, of: ReadKind(client: client), isDone: true)
    }
    note(time, of: kind, isDone: isDone)
  }

  /// Notes how long a read has taken, in nanoseconds of processor time.
  ///
  /// - Parameter isDone: whether that is all of it, as it was done to its end.
  func note(_ time: UInt, of kind: ReadKind, isDone: Bool) {
    let known = self.time(of: kind)
    guard loop > 0, time >= loop || known > 0 else { return }
    let next = max(time, isDone ? known - known / 8 : known)
    let microseconds = min(UInt64(next / 1000), ReadTimes.mostMicroseconds)
    // Of two that are noted at the same time one is lost, and will be noted again.
    slots[ReadTimes.place(of: kind)].store(
      next < loop ? 0 : ReadTimes.tag(of: kind) << ReadTimes.timeBits | microseconds,
      ordering: .relaxed)
  }

  private static func place(of kind: ReadKind) -> Int { Int(kind.key % UInt64(count)) }
  private static func tag(of kind: ReadKind) -> UInt64 { kind.key >> timeBits }
}

/// The kind of a read, as far as its time depends on it: a resource, the collection, what the answer needs, and about how much
/// of it there is. Reads of a kind take about as long as each other, so the time of one tells that of the next.
///
/// Names and texts of a client's own aren't part of it, and sizes are rounded to powers of four, which bounds the kinds that a
/// client can make up. Each costs an event loop its budget once, until others have taken its slot.
struct ReadKind: Sendable {
  /// The resources whose reads may take long; `unknown` for any.
  enum Resource: UInt64 {
    case annotation, annotationChildren, annotationHull, annotationItems, clusters, collection,
      collections
    case description, item, items, landing, locate, metrics, pins, queryables, schema, tile,
      tileJSON, unknown
  }

  /// A hash of all of it.
  private(set) var key: UInt64

  /// The kind of all reads of a resource.
  init(_ resource: Resource) { key = resource.rawValue &+ 1 }

  /// The kind of all reads of a resource of a collection, by its id.
  init(_ resource: Resource, of collection: String) {
    self.init(resource)
    for byte in collection.utf8 { key = (key ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  /// The kind that stands for all reads of a client of which nothing else is known.
  init(client: UInt64) {
    self.init(.unknown)
    add(Int(truncatingIfNeeded: client))
  }

  /// Tells kinds apart by a number, such as that of a choice.
  mutating func add(_ number: Int) {
    key = (key ^ UInt64(truncatingIfNeeded: number)) &* 0x9E37_79B9_7F4A_7C15
    key ^= key &>> 32
  }

  /// Tells kinds apart by the order of magnitude of a size, in powers of four.
  mutating func add(size: Double) { add(size > 0 ? Int(size.exponent) >> 1 : .min) }
}
