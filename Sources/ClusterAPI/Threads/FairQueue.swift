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

  /// Removes and returns the next element. O(clients and the elements of one).
  mutating func popFirst() -> Element? {
    guard !turns.isEmpty else { return nil }
    let client = turns.removeFirst()
    guard let element = waiting[client]?.removeFirst() else { return nil }
    if waiting[client]?.isEmpty == true { waiting[client] = nil } else { turns.append(client) }
    count -= 1
    return element
  }
}
