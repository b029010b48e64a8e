import GeoFormats
import Threading

/// Limits the memory of all writes that are being read, wait or are being carried out, and of those of one
/// client. A part is reserved for clients that use little, so that a few greedy ones don't keep others from
/// writing.
package final class WriteMemory: Sendable {
  private struct Used {
    var bytes = 0
    var byClient: [UInt64: Int] = [:]
  }

  /// The most memory of a client that may use the reserve, in bytes.
  private static let little = 1 << 20
  /// The memory of a write beside its features, in bytes.
  private static let overhead = 1024

  private let limits: WriteLimits
  private let used = Locked(Used())

  init(_ limits: WriteLimits) { self.limits = limits }

  /// Reserves memory for a write of a client; nil if too much is taken.
  package func share(of bytes: Int, for client: UInt64) -> Share? {
    let share = Share(self, client)
    return share.resize(to: bytes) ? share : nil
  }

  /// Whether there is memory for a write of a client that has no other.
  package func hasRoom(for bytes: Int) -> Bool {
    let bytes = bytes + WriteMemory.overhead
    return used.withLock { isRoom($0.bytes + bytes, own: bytes) }
  }

  /// Whether a client may have so much of what all have.
  private func isRoom(_ all: Int, own: Int) -> Bool {
    let reserve = own <= WriteMemory.little ? 0 : limits.waitingBytes / 4
    return own <= limits.decodedBytes && all <= limits.waitingBytes - reserve
  }

  /// Changes the memory of a client; false, without a change, if that would be too much.
  private func add(_ bytes: Int, for client: UInt64) -> Bool {
    used.withLock { used in
      let own = used.byClient[client, default: 0] + bytes
      guard isRoom(used.bytes + bytes, own: own) || bytes <= 0 else { return false }
      used.bytes += bytes
      used.byClient[client] = own == 0 ? nil : own
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
