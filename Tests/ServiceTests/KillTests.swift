import Glibc
import TestSupport
import Testing

/// A number that the environment sets for these tests; nil if it doesn't.
private func setting(_ name: String) -> Int? {
  getenv("PINCLUSTER_KILL_\(name)").flatMap { Int(String(cString: $0)) }
}

/// Kill -9 at random moments under four concurrent writers, on one data directory: what was
/// acknowledged is there, nothing is half done, and the service always starts.
///
/// PINCLUSTER_KILL_ROUNDS and PINCLUSTER_KILL_SEED ask for more rounds and others; see
/// scripts/kill-test.
@Suite(.timeLimit(.minutes(5 + (setting("ROUNDS") ?? 0) / 10))) struct KillTests {
  @Test func whatWasAcknowledgedOutlivesKills() throws {
    let rounds = setting("ROUNDS") ?? 4
    let seed = UInt64(clamping: setting("SEED") ?? 1)
    var generator = SeededGenerator(seed: seed)
    var server = try ServerProcess.ready()
    let load = try LiveLoad(writers: 4, seed: seed, at: server)
    var (killed, stored, starts) = (0, 0, 0)
    for round in 1...max(1, rounds) {
      let (process, writes) = (server.process, generator.int(0...100))
      load.run(at: server.port, readers: 1) {
        load.awaitWrites(writes)
        process.signal(SIGKILL)
      }
      #expect(process.waitForExit() == .signal(SIGKILL))
      killed += load.writers.filter { $0.value.pending != nil }.count
      // Sometimes kills it while it starts, too.
      while generator.chance(0.3) {
        starts += 1
        let pause = generator.int(0...40)
        #expect(try KillTests.killWhileStarting(server.data, after: pause) == nil)
      }
      server = try ServerProcess.ready(data: server.data)
      stored += try load.settle(with: server)
      try #require(load.faults.value.prefix(3) == [], "round \(round), seed \(seed)")
    }
    server.expectHealthy()
    #expect(load.answers.value.writes > rounds)
    print(
      "\(rounds) kills and \(starts) at start-up: \(load.answers.value.writes) acknowledged writes are there; "
        + "\(killed) were cut off, of which \(stored) are stored whole and the others not at all")
  }

  /// What went wrong with an interrupted start; nil if nothing did.
  private static func killWhileStarting(
    _ data: TemporaryDirectory, after milliseconds: Int
  ) throws -> String? {
    let process = try ServerProcess.begin(on: data)
    // Nothing tells how far a start has come, so a random time does.
    usleep(UInt32(milliseconds) * 1000)
    process.signal(SIGKILL)
    let exit = process.waitForExit()
    return exit == .signal(SIGKILL) ? nil : "\(String(describing: exit)): \(process.standardError)"
  }
}
