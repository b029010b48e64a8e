import Glibc
import TestSupport
import Testing
import Threading

/// Disks that are full or read-only, while the service runs and when it starts: writes fail with the reason,
/// reads continue, no acknowledged write is lost, and the service recovers when there is space again.
@Suite(.timeLimit(.minutes(5))) struct DiskTests {
  /// Limits the size of files that a process writes, or removes the limit.
  private static func limitFiles(of process: pid_t, to bytes: Int?) {
    let limit = bytes.map { "\($0)" } ?? "unlimited"
    MountedDisk.run("/usr/bin/prlimit", ["--pid", "\(process)", "--fsize=\(limit):unlimited"])
  }

  /// Whether this is the answer to a write when the disk is full.
  private static func isFull(_ answer: TestResponse) -> Bool { answer.fault(status: 507) == nil }

  /// Concurrent writers and readers while the disk is full for a time; then a kill. What takes no more room than before
  /// is written even then, so that there may be few refusals, or none.
  private func fill(
    _ load: LiveLoad, _ server: ServerProcess, refuses: Bool = true,
    begin: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void
  ) -> [String] {
    let misses = Locked<[String]>([])
    let process = server.process
    load.run(at: server.port, readers: 2, mayRefuse: DiskTests.isFull) {
      func expect(_ what: String, _ happens: () -> Bool) {
        if load.faults.value.isEmpty, !eventually(happens) { misses.withLock { $0.append(what) } }
      }
      let first = load.answers.value.writes
      expect("writes") { load.answers.value.writes > first + 20 }
      begin()
      let full = load.answers.value
      expect("answers") {
        let now = load.answers.value
        return now.refusals + (refuses ? 0 : now.writes)
          > full.refusals + (refuses ? 0 : full.writes) + 20
      }
      expect("views beside refusals") { load.answers.value.views > full.views + 5 }
      end()
      let free = load.answers.value.writes
      expect("writes again") { load.answers.value.writes > free + 20 }
      process.signal(SIGKILL)
    }
    #expect(process.waitForExit() == .signal(SIGKILL))
    return misses.value
  }

  @Test func filesThatMayNotGrowWhileItRuns() throws {
    var generator = SeededGenerator(seed: 12)
    var server = try ServerProcess.ready()
    let load = try LiveLoad(writers: 4, seed: 12, at: server)
    for round in 1...3 {
      let process = server.process.pid
      let room = generator.pick([0, 4096, 100_000])
      let misses = fill(load, server) {
        DiskTests.limitFiles(of: process, to: room)
      } end: {
        DiskTests.limitFiles(of: process, to: nil)
      }
      #expect(misses == [])
      #expect(load.faults.value.prefix(3) == [], "round \(round)")
      server = try ServerProcess.ready(data: server.data)
      _ = try load.settle(with: server)
      #expect(load.faults.value.prefix(3) == [], "round \(round)")
    }
  }

  /// Writes to a server with little space; then a server with space must have what was acknowledged. Returns
  /// what went wrong.
  private func start(on data: TemporaryDirectory, launcher: [String]) throws -> [String] {
    var faults: [String] = []
    var stored: [Int] = []
    do {
      let server = try ServerProcess(data: data, launcher: launcher)
      let isUp = eventually {
        server.process.exit() != nil
          || (try? server.client.get("/health/ready"))?.status == 200
      }
      if !isUp { faults.append("neither up nor down") }
      for id in 1..<40 where server.process.exit() == nil {
        let feature = TwinFeature(
          id, 1, 2, "{\"t\":\"\(String(repeating: "x", count: id * 100))\"}")
        let answer = try server.client.send(
          "PUT", "/collections/small/items/\(id)", json: feature.geoJSON)
        if answer.status == 201 {
          stored.append(id)
        } else if !DiskTests.isFull(answer) {
          faults.append("\(answer.status): \(answer.text)")
        }
      }
      server.kill()
    } catch let failure as ServerProcess.NotListening {
      let text = failure.description
      if !text.contains("ended with code(1): pincluster: ") || !text.contains("no space left") {
        faults.append(text)
      }
    }
    let server = try ServerProcess.ready(data: data)
    let page = try server.client.get("/collections/small/items?limit=100").value
    let found = (page["features"]?.array ?? []).compactMap { $0["id"]?.int }
    if found != stored { faults.append("\(stored) became \(found)") }
    if server.terminate() != 0 { faults.append("it doesn't stop") }
    return faults
  }

  @Test(arguments: [4096, 20_000, 40_000, 80_000, 200_000, 1_000_000])
  func filesThatMayNotGrowFromTheStart(room: Int) throws {
    let launcher = ["/usr/bin/prlimit", "--fsize=\(room):unlimited"]
    #expect(try start(on: TemporaryDirectory(), launcher: launcher) == [])
    // The existing data is larger than that already.
    let old = try ServerProcess.holding(
      (1...5000).map { TwinFeature($0, 1, 2, "{\"n\":\($0)}") }, in: "c")
    if room % 40_000 == 0 { old.kill() } else { #expect(old.terminate() == 0) }
    #expect(try start(on: old.data, launcher: launcher) == [])
    let server = try ServerProcess.ready(data: old.data)
    #expect(try server.json("/collections/c")["featureCount"] == 5000)
  }

  // MARK: On a separate disk, if one can be mounted

  @Test(.enabled(if: MountedDisk.canMount, "no disk may be mounted"))
  func aDiskThatIsFullForATime() throws {
    var generator = SeededGenerator(seed: 13)
    try MountedDisk.with(16_000) { disk in
      var server = try ServerProcess.ready(data: disk)
      let load = try LiveLoad(writers: 4, seed: 13, at: server)
      for round in 1...3 {
        let room = generator.pick([0, 8192, 200_000])
        let misses = fill(load, server, refuses: false) {
          MountedDisk.fillUp(disk, leaving: room)
        } end: {
          unlink(disk.file("filler"))
        }
        #expect(misses == [])
        // The service may also start on a full disk.
        MountedDisk.fillUp(disk, leaving: room)
        let full = try? ServerProcess.ready(data: disk)
        if let full { _ = try load.settle(with: full) }
        full?.kill()
        unlink(disk.file("filler"))
        server = try ServerProcess.ready(data: disk)
        _ = try load.settle(with: server)
        #expect(load.faults.value.prefix(3) == [], "round \(round)")
      }
      server.kill()
    }
  }

  @Test(.enabled(if: MountedDisk.canMount, "no disk may be mounted"))
  func aDiskThatCannotBeWritten() throws {
    try MountedDisk.with(16_000) { disk in
      var server = try ServerProcess.ready(data: disk)
      try server.store([TwinFeature(1, 1, 2)], in: "c")
      for isClean in [true, false] {
        isClean ? #expect(server.terminate() == 0) : server.kill()
        let before = try Fixtures.bytes(path: disk.file("pincluster.db"))
        #expect(MountedDisk.run("/usr/bin/mount", ["-o", "remount,ro", disk.path]))
        try Tool(["serve", "--port", "0", "--data", disk.path])
          .expectFailure(saying: disk.path, "Read-only")
        #expect(MountedDisk.run("/usr/bin/mount", ["-o", "remount,rw", disk.path]))
        #expect(try Fixtures.bytes(path: disk.file("pincluster.db")) == before)
        server = try ServerProcess.ready(data: disk)
        #expect(try server.json("/collections/c")["featureCount"] == 1)
      }
      server.kill()
    }
  }

  @Test(.enabled(if: MountedDisk.canMount, "no disk may be mounted"))
  func deletionsMakeRoomOnAFullDisk() throws {
    try MountedDisk.with(300_000) { disk in
      let server = try ServerProcess.ready(data: disk)
      let text = "{\"t\":\"\(String(repeating: "x", count: 3000))\"}"
      func put(_ id: Int, in collection: String) throws -> Int {
        try server.client.send(
          "PUT", "/collections/\(collection)/items/\(id)",
          json: TwinFeature(id, 1, 2, text).geoJSON
        ).status
      }
      func delete(_ path: String) throws -> Int { try server.client.send("DELETE", path).status }
      try server.store((0..<500).map { TwinFeature($0, 1, 2, text) }, in: "c")
      try server.store((0..<10).map { TwinFeature($0, 1, 2, text) }, in: "d")
      // Far more than the space that is kept for deletions.
      for part in 0..<12 {
        let ids = part * 1000..<part * 1000 + 1000
        try server.store(ids.map { TwinFeature($0, 1, 2, text) }, in: "large")
      }
      MountedDisk.fillUp(disk, leaving: 0)
      var id = 1000
      while try put(id, in: "c") == 201, id < 2000 { id += 1 }
      #expect(try put(id, in: "c") == 507)
      for number in 0..<20 { #expect(try delete("/collections/c/items/\(number)") == 204) }
      #expect(try delete("/collections/d") == 204)
      let some = try server.client.send(
        "DELETE", "/collections/c/items?bbox=0,0,5,5&filter=t=%27y%27")
      #expect(some.status == 200)
      // What they have freed is there for others, although the disk is still full.
      #expect(try (0..<10).map { try put($0, in: "e") } == Array(repeating: 201, count: 10))
      #expect(try delete("/collections/c") == 204)
      #expect(try delete("/collections/large") == 204)
      var stored = 0
      let isRoom = eventually {
        let ids = stored..<stored + 100
        let body = ids.map { TwinFeature($0, 1, 2, text) }.featureCollection
        let answer = try? server.client.send("POST", "/collections/e/items", json: body)
        if answer?.status == 200 { stored += 100 }
        return stored == 5000
      }
      #expect(isRoom, "\(stored) were stored")
      server.kill()
      let again = try ServerProcess.ready(data: disk)
      let list = try again.json("/collections")["collections"]?.array ?? []
      #expect(list.compactMap { $0["id"]?.string } == ["e"])
      #expect(again.terminate() == 0)
    }
  }

  @Test(
    .enabled(if: MountedDisk.canMount, "no disk may be mounted"),
    arguments: [4000, 8192, 20_000, 60_000])
  func deletionsMakeRoomOnASmallDisk(kilobytes: Int) throws {
    try MountedDisk.with(kilobytes) { disk in
      let server = try ServerProcess.ready(data: disk)
      func feature(_ id: Int, _ size: Int) -> TwinFeature {
        TwinFeature(id, Double(id % 90), 2, "{\"t\":\"\(String(repeating: "x", count: size))\"}")
      }
      func put(_ id: Int, in collection: String = "c", _ size: Int = 3000) throws -> Int {
        try server.client.send(
          "PUT", "/collections/\(collection)/items/\(id)", json: feature(id, size).geoJSON
        ).status
      }
      func delete(_ path: String) throws -> Int { try server.client.send("DELETE", path).status }
      #expect(try put(0, in: "d") == 201)
      var stored = 0
      while try put(stored) == 201 { stored += 1 }
      // A disk isn't full because the log has no room to be copied.
      #expect(stored * 3000 > kilobytes * 1024 / 5, "\(stored)")
      #expect(try put(stored) == 507)
      let patch = try server.client.send(
        "PATCH", "/collections/c/items/0",
        json: "{\"properties\":{\"u\":\"\(String(repeating: "y", count: 30_000))\"}}",
        type: "application/merge-patch+json")
      #expect(patch.status == 507, "\(patch.text)")
      let many = (0..<200).map { feature(100_000 + $0, 3000) }
      let post = try server.client.send(
        "POST", "/collections/c/items", json: many.featureCollection)
      #expect(post.status == 507, "\(post.text)")
      for id in 0..<10 { #expect(try delete("/collections/c/items/\(id)") == 204) }
      #expect(try put(stored) == 201)
      #expect(try delete("/collections/c/items?bbox=10,0,10.5,9") == 200)
      #expect(try delete("/collections/d") == 204)
      #expect(try (0..<5).map { try put($0) } == Array(repeating: 201, count: 5))
      server.kill()
      let again = try ServerProcess.ready(data: disk)
      #expect(try again.client.send("DELETE", "/collections/c").status == 204)
      #expect(again.terminate() == 0)
    }
  }

  @Test(.enabled(if: MountedDisk.canMount, "no disk may be mounted"))
  func whatExpiresMakesRoomOnAFullDisk() throws {
    try MountedDisk.with(8192) { disk in
      let server = try ServerProcess.ready(data: disk)
      let text = "{\"t\":\"\(String(repeating: "x", count: 100_000))\"}"
      let expires = ExpiryTests.text(Int(SystemTime.now / 1000) + 15_000)
      func put(_ id: Int, _ rest: String = "}") throws -> Int {
        let feature = TwinFeature(id, 1, 2, text).geoJSON.dropLast() + rest
        return try server.client.send(
          "PUT", "/collections/c/items/\(id)", json: "\(feature)"
        ).status
      }
      var id = 0
      while try put(id, ",\"expires\":\"\(expires)\"}") == 201, id < 100 { id += 1 }
      #expect(id < 100)
      #expect(try put(id) == 507)
      #expect(eventually { (try? put(id)) == 201 })
      #expect(server.terminate() == 0)
    }
  }

  @Test(arguments: [false, true])
  func aDirectoryThatIsRemovedOrReplaced(isReplaced: Bool) throws {
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    let (path, aside) = (server.data.path, server.data.path + ".aside")
    defer { MountedDisk.run("/bin/rm", ["-rf", aside]) }
    #expect(rename(path, aside) == 0)
    if isReplaced { #expect(MountedDisk.run("/bin/cp", ["-a", aside, path])) }
    for _ in 0..<2 {
      let answer = try server.client.send(
        "PUT", "/collections/c/items/2", json: TwinFeature(2, 1, 2).geoJSON)
      #expect(answer.fault(status: 503) == nil)
    }
    #expect(try server.client.send("DELETE", "/collections/c").status == 503)
    #expect(try server.client.get("/health/ready").fault(status: 503) == nil)
    #expect(try server.json("/collections/c")["featureCount"] == 1)
    #expect(eventually { server.log.contains { $0["event"] == "data directory lost" } })
    // Nothing of this was written, so that it goes on when the directory is back.
    if isReplaced { #expect(MountedDisk.run("/bin/rm", ["-rf", path])) }
    #expect(rename(aside, path) == 0)
    #expect(eventually { (try? server.client.get("/health/ready"))?.status == 200 })
    try server.store([TwinFeature(3, 1, 2)], in: "c")
    #expect(server.terminate() == 0)
    let again = try ServerProcess.ready(data: server.data)
    #expect(try again.json("/collections/c")["featureCount"] == 2)
  }
}
