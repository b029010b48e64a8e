import ClusterCore
import GeoFormats
import Glibc
import Synchronization
import Threading

/// Updates single features at a steady rate over several connections, from one thread.
///
/// `@unchecked Sendable`: from ``start()`` to ``stop()`` only its thread uses anything but `isOver`.
final class LiveUpdates: @unchecked Sendable {
  private struct Slot {
    var connection: LiveConnection
    /// The update in flight, if any: when it was sent, the number of its feature, and its text.
    var update: (began: Double, number: Int, text: [UInt8])?
  }

  /// The seconds from sending each update to its answer.
  private(set) var times: [Double] = []
  /// The last acknowledged update of each feature by its number, as GeoJSON.
  private(set) var acknowledged: [Int: [UInt8]] = [:]
  private(set) var failure: LiveConnection.Failure?

  private let fleet: LiveFleet
  private let interval: Double
  private var slots: [Slot] = []
  private var busy: Set<Int> = []
  private var synthetic = Synthetic(seed: 7)
  private var thread: SystemThread?
  private let isOver = Atomic<Bool>(false)

  init(_ fleet: LiveFleet, rate: Double, connections: Int) throws {
    self.fleet = fleet
    interval = 1 / rate
    slots = try (0..<connections).map { _ in
      Slot(connection: try LiveConnection(port: fleet.port))
    }
  }

  func start() {
    thread = SystemThread { self.run() }
    precondition(thread != nil, "cannot start a thread")
  }

  /// Stops sending and waits until every update has been answered.
  func stop() throws {
    isOver.store(true, ordering: .relaxed)
    thread?.join()
    if let failure { throw failure }
  }

  private func run() {
    do throws(LiveConnection.Failure) {
      var due = wallTime()
      while true {
        let isOver = isOver.load(ordering: .relaxed)
        while !isOver, due <= wallTime(), let free = slots.firstIndex(where: { $0.update == nil }) {
          try send(free)
          due += interval
        }
        if isOver, slots.allSatisfy({ $0.update == nil }) { return }
        try wait(until: slots.contains { $0.update == nil } && !isOver ? due : wallTime() + 0.1)
      }
    } catch { failure = error }
  }

  private func send(_ slot: Int) throws(LiveConnection.Failure) {
    var number = fleet.number(&synthetic)
    while busy.contains(number) { number = fleet.number(&synthetic) }
    let text = fleet.text(number, moved: &synthetic)
    busy.insert(number)
    slots[slot].update = (wallTime(), number, text)
    try slots[slot].connection.send("PUT", fleet.path(number), text)
  }

  /// Waits for answers until a time, and takes the first that arrive.
  private func wait(until end: Double) throws(LiveConnection.Failure) {
    var polled = slots.map {
      pollfd(fd: $0.connection.socket, events: $0.update == nil ? 0 : Int16(POLLIN), revents: 0)
    }
    let left = Int32(max(0, min(end - wallTime(), 1)) * 1000) + 1
    guard poll(&polled, nfds_t(polled.count), left) > 0 else { return }
    for index in polled.indices where polled[index].revents != 0 {
      guard let answer = try slots[index].connection.receive() else { continue }
      guard answer.status == 200, let update = slots[index].update else {
        throw LiveConnection.Failure(
          description: "an update: \(String(decoding: answer.body, as: UTF8.self))")
      }
      times.append(wallTime() - update.began)
      acknowledged[update.number] = update.text
      busy.remove(update.number)
      slots[index].update = nil
    }
  }
}
