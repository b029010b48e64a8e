import Glibc
import TestSupport
import Testing

/// Failures to start: one clear line, a nonzero exit code, and no change to the data.
@Suite(.timeLimit(.minutes(5))) struct StartFailureTests {
  private static let name = "pincluster.db"

  /// The directory of a stopped server with a collection of 1000 features.
  private func directory() throws -> TemporaryDirectory {
    let features = (1...1000).map { TwinFeature($0, Double($0 % 180), 2, "{\"n\":\($0)}") }
    let server = try ServerProcess.holding(features, in: "c")
    #expect(server.terminate() == 0)
    return server.data
  }

  private func serve(_ directory: String) throws -> Tool {
    try Tool(["serve", "--port", "0", "--data", directory])
  }

  @Test func thePortIsInUse() throws {
    let server = try ServerProcess.ready()
    let data = try TemporaryDirectory()
    let port = "\(server.port)"
    try Tool(["serve", "--port", port, "--data", data.path]).expectFailure(saying: port, "in use")
    server.expectHealthy()
  }

  @Test func theDirectoryIsInUse() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    let data = server.data
    try serve(data.path).expectFailure(saying: data.path, "in use", "\(server.process.pid)")
    let file = try TemporaryDirectory()
    let csv = try file.write("lon,lat\n1,2\n", as: "a.csv")
    try Tool(["import", csv, "--collection", "c", "--data", data.path])
      .expectFailure(saying: data.path, "in use")
    #expect(try server.json("/collections/c")["featureCount"]?.int == 1)
    server.expectHealthy()
  }

  @Test func theDirectoryIsAFile() throws {
    let parent = try TemporaryDirectory()
    let file = try parent.write([], as: "data")
    try serve(file).expectFailure(saying: file)
    try serve(file + "/below").expectFailure(saying: "below")
    #expect(try Fixtures.bytes(path: file) == [])
  }

  @Test func theDirectoryIsUnreadable() throws {
    // Even root cannot read a link to itself or a path that is too long.
    let parent = try TemporaryDirectory()
    let loop = parent.file("loop")
    try #require(symlink(loop, loop) == 0)
    try serve(loop).expectFailure(saying: loop)
    try serve(parent.file(String(repeating: "x", count: 300))).expectFailure(saying: "xxx")
    try serve("").expectFailure(2, saying: "--data")
  }

  @Test func theDatabaseIsALink() throws {
    let (other, parent) = (try directory(), try TemporaryDirectory())
    let (database, data) = (other.file("pincluster.db"), parent.file("data"))
    try #require(mkdir(data, 0o700) == 0)
    try #require(symlink(database, data + "/pincluster.db") == 0)
    for arguments in [["check", "--data", data], ["export", "--collection", "c", "--data", data]] {
      try Tool(arguments).expectFailure(saying: "it is a link")
    }
    try serve(data).expectFailure(saying: "it is a link")
    // A directory may be one.
    let link = parent.file("link")
    try #require(symlink(other.path, link) == 0)
    try Tool(["check", "--data", link]).expectSuccess()
  }

  @Test(.enabled(if: getuid() != 0, "root may read every directory"))
  func theDirectoryIsClosed() throws {
    let parent = try TemporaryDirectory()
    let closed = parent.file("closed")
    try #require(mkdir(closed, 0) == 0)
    try serve(closed).expectFailure(saying: closed)
  }

  @Test func theDatabaseIsDamaged() throws {
    let intact = try directory()
    let path = intact.file(StartFailureTests.name)
    let bytes = try Fixtures.bytes(path: path)
    let damages: [(String, [UInt8])] = [
      ("empty", []), ("text", Array("not a database, but long enough to be one".utf8)),
      ("half", Array(bytes[..<(bytes.count / 2 / 512 * 512)])), ("cut", Array(bytes[..<100])),
      ("zeros", [UInt8](repeating: 0, count: bytes.count)),
    ]
    for (name, damaged) in damages {
      try Fixtures.write(damaged, path: path)
      try serve(intact.path).expectFailure(saying: path, "damaged")
      // Never an empty start without an error: the data is still there.
      #expect(try Fixtures.bytes(path: path) == damaged, "\(name)")
    }
    try Fixtures.write(bytes, path: path)
    #expect(try ServerProcess.ready(data: intact).json("/collections/c")["featureCount"] == 1000)
  }

  @Test func theDatabaseIsDamagedWithin() throws {
    let intact = try directory()
    let path = intact.file(StartFailureTests.name)
    var bytes = try Fixtures.bytes(path: path)
    try #require(bytes.count > 5 * 8192)
    // Damages the pages of the features; the header and the schema stay intact.
    for index in (bytes.count - 3 * 8192)..<bytes.count { bytes[index] = 0xA5 }
    try Fixtures.write(bytes, path: path)
    let run = try serve(intact.path)
    #expect(run.exit == .code(1), "\(run.error)")
    let complaints = run.errorLines.filter { $0.hasPrefix("pincluster: ") }
    #expect(complaints.count == 1, "\(run.error)")
    #expect(complaints.first?.contains("damaged") == true, "\(run.error)")
    #expect(!run.error.contains("\"ready\""))
  }

  @Test func theSchemaIsNewer() throws {
    let intact = try directory()
    let path = intact.file(StartFailureTests.name)
    var bytes = try Fixtures.bytes(path: path)
    // user_version: four bytes from offset 60 (SQLite's file format, section 1.3).
    try #require(Array(bytes[60..<63]) == [0, 0, 0])
    bytes[62] = 1
    try Fixtures.write(bytes, path: path)
    try serve(intact.path).expectFailure(saying: path, "\(256 + Int(bytes[63]))")
    #expect(try Fixtures.bytes(path: path) == bytes)
  }

  /// Starts a service with less than usual, which either works or says what it lacks.
  private func start(
    launcher: [String], on data: TemporaryDirectory? = nil, lacking word: String
  ) throws {
    do {
      let server = try ServerProcess(data: data, launcher: launcher)
      #expect(eventually { (try? server.client.get("/health/ready"))?.status == 200 })
      try server.store([TwinFeature(1, 1, 2)], in: "c")
      #expect(
        try server.json("/collections/c/clusters?bbox=0,0,9,9&zoom=3")["featureCount"]?.int == 1)
      #expect(server.terminate() == 0)
    } catch let failure as ServerProcess.NotListening {
      let text = failure.description
      // 2 for a configuration that doesn't fit.
      let isEnd = [1, 2].contains { text.hasPrefix("ended with code(\($0)): pincluster: ") }
      #expect(isEnd, "\(text)")
      #expect(text.contains(word) && text.split(separator: "\n").count == 1, "\(text)")
    }
  }

  /// Less than this, in MiB, a process of this size can't even be loaded.
  @Test(
    .enabled(
      if: dlsym(nil, "__asan_init") == nil && dlsym(nil, "__tsan_init") == nil, "no sanitizer"),
    arguments: [100, 150, 200, 250, 300, 350, 400, 500, 600, 800, 1000])
  func theAddressSpaceIsSmall(mebibytes: Int) throws {
    let launcher = ["/usr/bin/prlimit", "--as=\(mebibytes << 20)"]
    try start(launcher: launcher, lacking: "memory")
    let directory = try TemporaryDirectory()
    let file = try directory.write("lon,lat\n1,2\n", as: "a.csv")
    let data = directory.file("data")
    for arguments in [
      ["import", file, "--collection", "c", "--data", data], ["check", "--data", data],
      ["export", "--collection", "c", "--data", data],
      ["backup", "--to", directory.file("b"), "--data", data],
    ] {
      let run = try Tool(arguments, launcher: launcher)
      let isSaid =
        run.exit == .code(1) && run.errorLines.count == 1 && run.error.hasPrefix("pincluster: ")
      #expect(run.exit == .code(0) || isSaid, "\(arguments[0]): \(run.exit) \(run.error)")
      if run.exit != .code(0) { break }
    }
  }

  @Test(arguments: [8, 16, 32, 40, 48, 64, 128])
  func fewFilesMayBeOpen(count: Int) throws {
    let launcher = ["/usr/bin/prlimit", "--nofile=\(count)"]
    try start(launcher: launcher, lacking: "limit on open files")
  }

  /// The superuser may start any number, so that it becomes another user.
  @Test(
    .enabled(if: getuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0, "needs another user"),
    arguments: [1, 5, 10, 20, 40, 100])
  func fewThreadsMayBeStarted(count: Int) throws {
    let launcher = [
      "/usr/bin/setpriv", "--reuid=64\(800 + count)", "--clear-groups", "/usr/bin/prlimit",
      "--nproc=\(count)",
    ]
    let data = try TemporaryDirectory()
    #expect(chmod(data.path, 0o777) == 0)
    guard (try? Tool(["--version"], launcher: launcher))?.exit == .code(0) else { return }
    try start(launcher: launcher, on: data, lacking: "threads")
  }
}
