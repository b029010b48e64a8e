import Glibc
import TestSupport
import Testing
import Threading

@testable import PinclusterService

/// What the service tells systemd, by a socket that stands in for systemd's.
@Suite(.timeLimit(.minutes(5))) struct ServiceManagerTests {
  @Test func theManagerHearsOfStartAndStop() throws {
    let directory = try TemporaryDirectory()
    let manager = try NotifySocket(directory.file("notify"))
    let server = try ServerProcess.ready(environment: ["NOTIFY_SOCKET": manager.name])
    #expect(try manager.next() == ["STATUS=Opening \(server.data.path)"])
    #expect(try manager.next() == ["STATUS=Loading \(server.data.path)"])
    let ready = ["READY=1", "STATUS=Serving on 127.0.0.1 port \(server.port)"]
    #expect(try manager.next() == ready)
    server.process.signal(SIGHUP)
    #expect(try manager.next().first == "RELOADING=1")
    #expect(try manager.next() == ready)
    #expect(server.terminate() == 0)
    #expect(try manager.next().first == "STOPPING=1")
  }

  @Test func aNameWithoutAFileDoes() throws {
    let manager = try NotifySocket("@pincluster-test-\(getpid())-\(UInt32.random(in: 0 ... .max))")
    let server = try ServerProcess.ready(environment: ["NOTIFY_SOCKET": manager.name])
    _ = try manager.message(with: "READY=1")
    #expect(server.terminate() == 0)
    _ = try manager.message(with: "STOPPING=1")
  }

  @Test func theWatchdogIsFedAndOnlyOfThisProcess() throws {
    let directory = try TemporaryDirectory()
    let manager = try NotifySocket(directory.file("notify"))
    let fed = ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "200000"]
    let server = try ServerProcess.ready(environment: fed)
    for _ in 0..<3 { _ = try manager.message(with: "WATCHDOG=1") }
    #expect(server.terminate() == 0)
    // The rest, and what belongs to another process.
    _ = try manager.message(with: "STOPPING=1")
    let other = try ServerProcess.ready(environment: fed.merging(["WATCHDOG_PID": "1"]) { $1 })
    usleep(500_000)
    #expect(other.terminate() == 0)
    var between: [[String]] = []
    while between.last?.first != "STOPPING=1" { between.append(try manager.next()) }
    #expect(!between.contains { $0.contains("WATCHDOG=1") })
  }

  @Test func aReloadHasTheTimeOfItsStart() throws {
    let directory = try TemporaryDirectory()
    let socket = try NotifySocket(directory.file("notify"))
    let manager = ServiceManager { $0 == "NOTIFY_SOCKET" ? socket.name : nil }
    #expect(manager.watchdogSeconds == nil)
    let before = MonotonicTime.now / 1000
    manager.isReloading()
    let after = MonotonicTime.now / 1000
    let lines = try socket.next()
    #expect(lines.first == "RELOADING=1")
    let time = lines.first { $0.hasPrefix("MONOTONIC_USEC=") }.flatMap { UInt($0.dropFirst(15)) }
    #expect(time.map { (before...after).contains($0) } == true)
  }

  @Test func nobodyNeedsToListen() throws {
    for name in ["", "relative", "/nowhere/at/all", "@", "/" + String(repeating: "x", count: 200)] {
      let server = try ServerProcess.ready(
        environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "x"])
      #expect(server.terminate() == 0, "\(name)")
    }
  }
}
