/// A bounded queue that shares out time between clients: the client that has had least of it is next, so that one that asks seldom
/// doesn't wait for a turn of each that asks without pause.
///
/// This is start-time fair queueing (Goyal, Vin and Cheng, 1996): a client's turn is at the virtual time at which
/// its last one ended. After time without requests it is a little before the present one (``credit``), and so before
/// those of clients that have just had theirs. A turn counts as a ``quantum`` until it is known how long it was; see ``settle(_:used:)``.
///
/// New elements wait apart from those that had turns already and were put back, which are next whenever it is their client's
/// turn: nothing that can't be begun yet stands in their way.
struct FairQueue<Element: Sendable>: Sendable {
  /// The waiting elements of a client.
  private struct Places: Sendable {
    /// Those that were put back, by their numbers.
    var begun: [(number: UInt, element: Element)] = []
    /// Those that are to be begun, in order.
    var new: [Element] = []

    var isEmpty: Bool { begun.isEmpty && new.isEmpty }
  }

  /// A client with waiting elements, and the virtual time of its turn.
  private struct Turn: Sendable {
    let start: UInt
    let client: UInt64
  }

  /// The most new elements that may wait.
  let capacity: Int
  /// The assumed length of a turn until it is known, in nanoseconds.
  let quantum: UInt

  private var waiting: [UInt64: Places] = [:]
  /// The clients with waiting elements, the next one first; of two with the same time, the one that came first.
  private var turns: [Turn] = []
  /// The virtual times at which clients' last turns end, at least of those to come.
  private var ends: [UInt64: UInt] = [:]
  /// The virtual time: that of the turn that began last. It also goes on with the work, though slower than turns
  /// do, so that waiting clients come before new ones.
  private var present: UInt = 0
  /// The number of new elements, and of those that were put back.
  private(set) var (count, begunCount) = (0, 0)

  var isEmpty: Bool { count + begunCount == 0 }

  /// The most credit of a client for time without requests.
  private var credit: UInt { 2 * quantum }
  /// The earliest virtual time at which a turn may be now.
  private var earliest: UInt { max(present, credit) - credit }

  init(capacity: Int, quantum: UInt) { (self.capacity, self.quantum) = (capacity, quantum) }

  /// Adds a new element of a client after its others, or before its other new ones. If there is no room, this removes
  /// and returns the newest one of a client with most of them, which may be the given one. O(clients).
  mutating func append(_ element: Element, of client: UInt64, first: Bool = false) -> Element? {
    if waiting[client] == nil { addTurn(of: client) }
    let place = first ? 0 : waiting[client]?.new.count ?? 0
    waiting[client, default: Places()].new.insert(element, at: place)
    count += 1
    guard count > capacity,
      let most = waiting.max(by: { $0.value.new.count < $1.value.new.count })
    else { return nil }
    let greedy = most.value.new.count > waiting[client]?.new.count ?? 0 ? most.key : client
    let newest = waiting[greedy]?.new.popLast()
    count -= 1
    removeIfEmpty(greedy)
    return newest
  }

  /// Puts back an element that had a turn before. O(clients).
  ///
  /// - Parameter number: its place among those of its client.
  mutating func putBack(_ element: Element, _ number: UInt, of client: UInt64) {
    if waiting[client] == nil { addTurn(of: client) }
    let place = waiting[client]?.begun.firstIndex { $0.number > number }
    let end = waiting[client]?.begun.count ?? 0
    waiting[client, default: Places()].begun.insert((number, element), at: place ?? end)
    begunCount += 1
  }

  /// Removes and returns the next element. O(clients and the elements of one).
  ///
  /// - Parameter mayBegin: whether a new element may be next. Otherwise clients that have no other keep their turns.
  mutating func popFirst(mayBegin: Bool = true) -> Element? {
    guard begunCount > 0 || mayBegin && count > 0 else { return nil }
    let next = mayBegin ? 0 : turns.firstIndex { waiting[$0.client]?.begun.isEmpty == false }
    guard let next else { return nil }
    let turn = turns.remove(at: next)
    present = max(present, turn.start)
    forget()
    ends[turn.client] = turn.start + quantum
    var element: Element?
    if waiting[turn.client]?.begun.isEmpty == false {
      element = waiting[turn.client]?.begun.removeFirst().element
      begunCount -= 1
    } else {
      element = waiting[turn.client]?.new.removeFirst()
      count -= 1
    }
    if waiting[turn.client]?.isEmpty == true {
      waiting[turn.client] = nil
    } else {
      addTurn(of: turn.client)
    }
    return element
  }

  /// Removes and returns all elements for which there is a reason, each of which is looked at once: new ones, and those
  /// that were put back, which have a turn with that. O(clients and elements).
  mutating func remove<Reason>(
    because reason: (Element) -> Reason?
  ) -> (new: [(Element, Reason)], begun: [Element]) {
    var (new, begun): ([(Element, Reason)], [Element]) = ([], [])
    for (client, var places) in waiting {
      let (newBefore, begunBefore) = (new.count, begun.count)
      places.new.removeAll { element in
        reason(element).map { new.append((element, $0)) } != nil
      }
      places.begun.removeAll { place in
        reason(place.element).map { _ in begun.append(place.element) } != nil
      }
      let gone = UInt(begun.count - begunBefore)
      guard new.count > newBefore || gone > 0 else { continue }
      waiting[client] = places
      if gone > 0 { ends[client] = max(earliest, ends[client] ?? 0) + gone * quantum }
      removeIfEmpty(client)
    }
    count -= new.count
    begunCount -= begun.count
    return (new, begun)
  }

  private mutating func removeIfEmpty(_ client: UInt64) {
    guard waiting[client]?.isEmpty == true else { return }
    waiting[client] = nil
    turns.removeAll { $0.client == client }
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
