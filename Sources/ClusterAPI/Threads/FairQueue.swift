/// A bounded queue that shares out time between clients: next is what waits of the client that has had least of
/// it, so that who asks seldom doesn't wait for a turn of everybody who asks without pause.
///
/// This is start-time fair queueing (Goyal, Vin and Cheng, 1996): a client's turn is at the virtual time at which
/// its last one ended. After time without requests it is a little before the present one (``credit``), and so before
/// those of clients that have just had theirs. A turn counts as a ``quantum`` until it is known how long it was; see ``settle(_:used:)``.
struct FairQueue<Element: Sendable>: Sendable {
  /// A client with waiting elements, and the virtual time of its turn.
  private struct Turn: Sendable {
    let start: UInt
    let client: UInt64
  }

  /// The most elements that may wait.
  let capacity: Int
  /// What a turn counts as at first, in nanoseconds.
  let quantum: UInt

  private var waiting: [UInt64: [Element]] = [:]
  /// The clients with waiting elements, the next one first; of two with the same time, the one that came first.
  private var turns: [Turn] = []
  /// The virtual times at which clients' last turns end, at least of those to come.
  private var ends: [UInt64: UInt] = [:]
  /// The virtual time: that of the turn that began last. It also goes on with the work, though slower than turns
  /// do, so that whoever waits comes before clients that are new then.
  private var present: UInt = 0
  private(set) var count = 0

  /// What a client is credited with at most for time without requests.
  private var credit: UInt { 2 * quantum }
  /// The earliest virtual time at which a turn may be now.
  private var earliest: UInt { max(present, credit) - credit }

  init(capacity: Int, quantum: UInt) { (self.capacity, self.quantum) = (capacity, quantum) }

  /// Appends an element of a client. If there is no room, this removes and returns the newest element of a
  /// client with most of them, which may be the given one. O(clients).
  mutating func append(_ element: Element, of client: UInt64) -> Element? {
    if waiting[client] == nil { addTurn(of: client) }
    waiting[client, default: []].append(element)
    count += 1
    guard count > capacity, let most = waiting.max(by: { $0.value.count < $1.value.count }) else {
      return nil
    }
    let greedy = most.value.count > waiting[client]?.count ?? 0 ? most.key : client
    let newest = waiting[greedy]?.popLast()
    count -= 1
    if waiting[greedy]?.isEmpty == true {
      waiting[greedy] = nil
      turns.removeAll { $0.client == greedy }
    }
    return newest
  }

  /// Puts an element of a client before its others. O(clients).
  mutating func prepend(_ element: Element, of client: UInt64) {
    if waiting[client] == nil { addTurn(of: client) }
    waiting[client, default: []].insert(element, at: 0)
    count += 1
  }

  /// Removes and returns the next element. O(clients and the elements of one).
  ///
  /// - Parameter isReady: whether an element may be next. A client whose first one may not be keeps its turn.
  mutating func popFirst(where isReady: (Element) -> Bool = { _ in true }) -> Element? {
    let next = turns.firstIndex { waiting[$0.client]?.first.map(isReady) ?? false }
    guard let next, let element = waiting[turns[next].client]?.removeFirst() else { return nil }
    let turn = turns.remove(at: next)
    count -= 1
    present = max(present, turn.start)
    forget()
    ends[turn.client] = turn.start + quantum
    if waiting[turn.client]?.isEmpty == true {
      waiting[turn.client] = nil
    } else {
      addTurn(of: turn.client)
    }
    return element
  }

  /// Notes how long a turn of a client was, in nanoseconds of work. O(clients).
  mutating func settle(_ client: UInt64, used: UInt) {
    present += used / UInt(2 * (turns.count + 1))
    guard let end = ends[client] else { return }
    ends[client] = max(end + used, quantum) - quantum
    guard let index = turns.firstIndex(where: { $0.client == client }) else { return }
    turns.remove(at: index)
    addTurn(of: client)
  }

  private mutating func addTurn(of client: UInt64) {
    let start = max(earliest, ends[client] ?? 0)
    var (low, high) = (0, turns.count)
    while low < high {
      let middle = (low + high) / 2
      if turns[middle].start <= start { low = middle + 1 } else { high = middle }
    }
    turns.insert(Turn(start: start, client: client), at: low)
  }

  /// Forgets ends that have passed, now and then.
  private mutating func forget() {
    guard ends.count >= 8 * capacity else { return }
    let earliest = earliest
    ends = ends.filter { $0.value > earliest }
  }
}
