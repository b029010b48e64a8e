/// A bounded queue whose clients take turns: of what waits, that of one client after the other is next, so
/// that nobody waits for more than one element of each other client at a time.
struct FairQueue<Element: Sendable>: Sendable {
  /// The most elements that may wait.
  let capacity: Int

  private var waiting: [UInt64: [Element]] = [:]
  /// The clients with waiting elements, the next one first.
  private var turns: [UInt64] = []
  private(set) var count = 0

  init(capacity: Int) { self.capacity = capacity }

  /// Appends an element of a client. If there is no room, this removes and returns the newest element of a
  /// client with most of them, which may be the given one. O(clients) then, otherwise O(1) on average.
  mutating func append(_ element: Element, of client: UInt64) -> Element? {
    if waiting[client] == nil { turns.append(client) }
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
      turns.removeAll { $0 == greedy }
    }
    return newest
  }

  /// Puts an element of a client before its others, and the client's turn after those of all others.
  mutating func prepend(_ element: Element, of client: UInt64) {
    if waiting[client] == nil { turns.append(client) }
    waiting[client, default: []].insert(element, at: 0)
    count += 1
  }

  /// Removes and returns the next element. O(clients and the elements of one).
  ///
  /// - Parameter isReady: whether an element may be next. A client whose first one may not be passes its turn.
  mutating func popFirst(where isReady: (Element) -> Bool = { _ in true }) -> Element? {
    let next = turns.firstIndex { waiting[$0]?.first.map(isReady) ?? false }
    guard let next, let element = waiting[turns[next]]?.removeFirst() else { return nil }
    let client = turns.remove(at: next)
    if waiting[client]?.isEmpty == true { waiting[client] = nil } else { turns.append(client) }
    count -= 1
    return element
  }
}
