import GeoFormats
import Threading

/// Limits the memory of all writes that are being read, wait or are being carried out, and of those of one
/// client. A part is reserved for clients that use little, so that a few greedy ones don't keep others from
/// writing.
package final class WriteMemory: Sendable {
  /// The most memory of a client that may use the reserve, in bytes.
  private static let little = 1 << 20
  /// The memory of a write beside its features, in bytes.
  private static let overhead = 1024

  private let limits: WriteLimits
  private let used: Locked<ClientLedger>

  init(_ limits: WriteLimits) {
    self.limits = limits
    used = Locked(
      ClientLedger(
        all: limits.waitingBytes, each: limits.clientBytes, reserve: limits.waitingBytes / 4,
        little: WriteMemory.little))
  }

  /// Reserves memory for a write of a client; nil if too much is taken.
  package func share(of bytes: Int, for client: UInt64) -> Share? {
    let share = Share(self, client)
    return share.resize(to: bytes) ? share : nil
  }

  /// Whether there is memory for a write of a client that has no other.
  package func hasRoom(for bytes: Int) -> Bool {
    used.withLock { $0.refusalOfNewcomer(bytes + WriteMemory.overhead) == nil }
  }

  /// Changes the memory of a client; false, without a change, if that would be too much.
  private func add(_ bytes: Int, for client: UInt64) -> Bool {
    used.withLock { used in
      if bytes > 0 { return used.take(bytes, for: client) }
      used.give(-bytes, of: client)
      return true
    }
  }

  /// The memory of one write, which is given back with the last reference to it, or before.
  package final class Share: Sendable {
    /// The client's address, as a number.
    let client: UInt64
    private let memory: WriteMemory
    private let taken = Locked(0)

    fileprivate init(_ memory: WriteMemory, _ client: UInt64) {
      (self.memory, self.client) = (memory, client)
    }

    deinit { giveBack() }

    /// Changes the size to that of the write's features; false, without a change, if that would be too much.
    package func resize(to bytes: Int) -> Bool { take(bytes + WriteMemory.overhead) }

    /// Gives everything back, once the memory is free.
    package func giveBack() { _ = take(0) }

    private func take(_ bytes: Int) -> Bool {
      taken.withLock { taken in
        guard memory.add(bytes - taken, for: client) else { return false }
        taken = bytes
        return true
      }
    }

    /// Room for the features of one body, which takes more of the memory in steps.
    package var room: DecodingRoom {
      let limit = memory.limits.decodedBytes - WriteMemory.overhead
      let granted = taken.withLock { $0 } - WriteMemory.overhead
      return DecodingRoom(granted: granted) { needed throws(FormatError) in
        guard needed <= limit else {
          throw .tooLarge(
            detail:
              "the features of the body take more than \(limit) bytes of memory; send them in parts"
          )
        }
        let next = min(needed + WriteMemory.step, limit)
        guard self.resize(to: next) else { throw .noRoom }
        return next
      }
    }
  }

  /// The steps in which memory is taken while a body is read, in bytes.
  private static let step = 1 << 20
}
