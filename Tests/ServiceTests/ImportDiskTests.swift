import Glibc
import TestSupport
import Testing

/// Imports to disks that are too small for them.
@Suite(.timeLimit(.minutes(5))) struct ImportDiskTests {
  private static func rows(_ ids: Range<Int>) -> [UInt8] {
    let rows = ids.map {
      "\($0),\(Double($0 * 7919 % 180_000) / 1000 - 90),\($0 % 360 - 180),place \($0)\n"
    }
    return Array(("id,lat,lon,name\n" + rows.joined()).utf8)
  }

  @Test(.enabled(if: MountedDisk.canMount, "no disk may be mounted"))
  func `an import that doesn't fit gives back what it took`() throws {
    try MountedDisk.with(2000) { disk in
      let (files, data) = (try TemporaryDirectory(), disk.file("data"))
      func load(_ ids: Range<Int>) throws -> Tool {
        let path = try files.write(Self.rows(ids), as: "a.csv")
        return try Tool(["import", path, "--collection", "c", "--data", data])
      }
      func size() throws -> Int { try Fixtures.bytes(path: data + "/pincluster.db").count }
      try load(0..<5000).expectSuccess()
      // Some fit into the log, but not into the database as well.
      var failures = 0
      for count in stride(from: 36_000, through: 12_000, by: -4000) {
        let before = try size()
        let run = try load(5000..<5000 + count)
        if run.exit == .code(0) { continue }
        run.expectFailure(saying: "no space left")
        failures += 1
        #expect(try size() == before)
      }
      #expect(failures > 1)
      try load(500_000..<500_001).expectSuccess()
      // What a process left that was ended in between is given back by the next start.
      let bytes = try Fixtures.bytes(path: data + "/pincluster.db")
      try Fixtures.write(
        bytes + [UInt8](repeating: 0, count: 81_920), path: data + "/pincluster.db")
      try load(500_000..<500_001).expectSuccess()
      #expect(try size() == bytes.count)
    }
  }

  @Test(.enabled(if: MountedDisk.canHaveSmallBlocks, "no disk of small blocks may be mounted"))
  func `a full disk of small blocks ends no process`() throws {
    let files = try TemporaryDirectory()
    let isMounted = try MountedDisk.withSmallBlocks(6) { disk in
      let (path, data) = (files.file("a.csv"), disk.path)
      try Fixtures.write(Self.rows(0..<2000), path: path)
      let load = ["import", path, "--collection", "c", "--data", data]
      try Tool(load).expectSuccess()
      try Fixtures.write(Self.rows(1..<60_000), path: path)
      try Tool(load).expectFailure(saying: "full")
      for room in [0, 16 << 10, 40 << 10, 80 << 10] {
        MountedDisk.fillUp(disk, leaving: room)
        for arguments in [
          ["check", "--data", data], ["export", "--collection", "c", "--data", data], load,
        ] {
          let run = try Tool(arguments)
          #expect(run.exit == .code(0) || run.exit == .code(1), "\(arguments): \(run.exit)")
        }
        let server = try? ServerProcess.ready(data: disk)
        #expect(server?.terminate() ?? 0 == 0)
        unlink(disk.file("filler"))
      }
      try Fixtures.write(Self.rows(0..<10), path: path)
      try Tool(load).expectSuccess()
    }
    #expect(isMounted)
  }
}
