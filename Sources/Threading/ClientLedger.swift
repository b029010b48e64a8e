/// The amounts that clients have of something that all of them share, such as memory, places, or time: how much is taken, by
/// whom, and who may take more.
///
/// A client is a number, which stands for its address. One without any amount leaves nothing behind.
///
///     var places = ClientLedger(all: 1000, each: 250)
///     guard places.take(1, for: client) else { … }
///     places.give(1, of: client)
///
/// Connections alone are counted elsewhere, by the event loop that has them (`Sources/CEvHTTP/peers.c`).
public struct ClientLedger: Sendable {
  /// Why a client can't have more.
  public enum Refusal: Sendable, Equatable {
    /// It has as much as one client may have.
    case share
    /// All have as much as all may have, but for what is reserved for those that have little.
    case full
  }

  /// The most of all clients together, and of one.
  public let (all, each): (Int, Int)
  /// The part of all that only clients may use who have no more than a little, and how much that is.
  private let (reserve, little): (Int, Int)
  /// The sum of all amounts.
  public private(set) var total = 0
  /// The amounts of the clients that have any.
  public private(set) var amounts: [UInt64: Int] = [:]

  /// A ledger in which nobody has anything.
  ///
  /// - Parameters:
  ///   - all: the most of all clients together.
  ///   - each: the most of one client.
  ///   - reserve: the part of all for clients that have no more than `little`.
  public init(all: Int = .max, each: Int = .max, reserve: Int = 0, little: Int = 0) {
    (self.all, self.each, self.reserve, self.little) = (all, each, reserve, little)
  }

  /// The clients that have any.
  public var clients: [UInt64] { Array(amounts.keys) }

  /// The amount of a client.
  public subscript(client: UInt64) -> Int { amounts[client] ?? 0 }

  /// The reason why a client can't have more by an amount; nil if it can.
  public func refusal(of amount: Int, for client: UInt64) -> Refusal? {
    refusal(total: total, own: self[client], amount)
  }

  /// The reason why a client that has nothing couldn't have an amount; nil if it could.
  public func refusalOfNewcomer(_ amount: Int) -> Refusal? { refusal(total: total, own: 0, amount) }

  private func refusal(total: Int, own: Int, _ amount: Int) -> Refusal? {
    if amount > each || own > each - amount { return .share }
    let most = all - (own + amount <= little ? 0 : reserve)
    return amount > most || total > most - amount ? .full : nil
  }

  /// Adds to a client's amount, or returns false, without a change, if that would be too much.
  public mutating func take(_ amount: Int, for client: UInt64) -> Bool {
    guard refusal(of: amount, for: client) == nil else { return false }
    add(amount, for: client)
    return true
  }

  /// Takes from a client's amount.
  public mutating func give(_ amount: Int, of client: UInt64) { add(-amount, for: client) }

  /// Adds to a client's amount, whether or not it may have so much.
  public mutating func add(_ amount: Int, for client: UInt64) {
    let own = self[client] + amount
    total += amount
    amounts[client] = own == 0 ? nil : own
  }

  /// The client that has most; of several with as much, that with the lowest number. Nil if nobody has any.
  ///
  /// - Complexity: O(clients)
  public var greediest: UInt64? {
    amounts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }
}
