/// A bounded queue whose clients take turns: of what waits, that of one client after the other is next, so
/// that nobody waits for more than one element of each other client at a time.
struct FairQueue<Element: Sendable>: Sendable {
  /// Why an element is not taken.
  enum Refusal { case full, shareExceeded }

  /// The most elements that may wait, and the most of one client.
  let capacity: Int
  let share: Int

  private var waiting: [UInt64: [Element]] = [:]
  /// The clients with waiting elements, the next one first.
  private var turns: [UInt64] = []
  private(set) var count = 0

  init(capacity: Int, share: Int) { (self.capacity, self.share) = (capacity, share) }

  /// Appends an element of a client, or says why not. O(1) on average.
  mutating func append(_ element: Element, of client: UInt64) -> Refusal? {
    guard count < capacity else { return .full }
    let own = waiting[client]?.count ?? 0
    guard own < share else { return .shareExceeded }
    if own == 0 { turns.append(client) }
    waiting[client, default: []].append(element)
    count += 1
    return nil
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
