import ClusterCore
import FeatureStore
import Glibc
import TestSupport
import Testing

/// Where the store may live, and who may have it.
@Suite(.timeLimit(.minutes(5))) struct DirectoryTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func makesTheDirectoryAndItsParents() throws {
    let inner = directory.path + "/a/b/"
    let storeID = try SQLiteStore(directory: inner).storeID
    #expect(try SQLiteStore(directory: inner).storeID == storeID)
    for name in ["pincluster.db", "pincluster.lock"] { unlink(inner + name) }
    rmdir(inner)
    rmdir(directory.path + "/a")
  }

  @Test func aSecondStoreInThisProcess() throws {
    let store = try SQLiteStore(directory: directory.path)
    #expect(throws: StoreError.directoryInUse(path: directory.path, processID: getpid())) {
      try SQLiteStore(directory: directory.path)
    }
    try store.put([Plain(.int(1), [0, 0])])
    store.close()
    _ = try SQLiteStore(directory: directory.path)
  }

  @Test func aLinkOrAPipeInPlaceOfTheReserveIsLeftAlone() throws {
    let store = try SQLiteStore(directory: directory.path)
    let (reserve, elsewhere) = (directory.file("pincluster.reserve"), directory.file("elsewhere"))
    #expect(symlink(elsewhere, reserve) == 0)
    store.keepReserve()
    #expect(access(elsewhere, F_OK) != 0)
    #expect(unlink(reserve) == 0 && mkfifo(reserve, 0o600) == 0)
    store.keepReserve()
    try store.put([Plain(.int(1), [0, 0])])
    #expect(unlink(reserve) == 0)
    store.keepReserve()
    #expect(access(reserve, F_OK) == 0)
  }

  /// The identity of a database, and the version after its last, once a directory's files are so.
  private func identity(_ files: [String: [UInt8]]) throws -> (id: UInt64, version: Int64) {
    let directory = try TemporaryDirectory(holding: files)
    let store = try SQLiteStore(directory: directory.path)
    return (store.storeID, try store.put([Plain(.int(9), [0, 0])]).info.version)
  }

  @Test func whatMayNotBeTheWholeIsAnother() throws {
    let store = try SQLiteStore(directory: directory.path)
    let version = try store.put([Plain(.int(1), [0, 0])]).info.version
    let files = try directory.files()
    store.close()
    #expect(files["pincluster.lock"] == Array("\(getpid())\n".utf8))
    // Killed, with all that it has left; stopped; and of a version whose lock was empty.
    #expect(try identity(files).id == store.storeID)
    let whole = try directory.bytes(of: SQLiteStore.fileName)
    #expect(try identity(["pincluster.db": whole, "pincluster.lock": []]).id == store.storeID)
    // Killed before it was known whether the last one was.
    #expect(
      try identity(["pincluster.db": whole, "pincluster.lock": Array(".12\n".utf8)]).id
        == store.storeID)
    // A copy; one whose first start was killed; and what is left without the note of the last commit, also after a start
    // that was killed or refused because of that.
    var rest = files
    rest["pincluster.commit"] = nil
    var again = rest
    again["pincluster.lock"] = [UInt8(ascii: "!")]
    for other in [
      ["pincluster.db": whole], ["pincluster.db": whole, "pincluster.lock": Array("?12\n".utf8)],
      rest, again,
    ] {
      let found = try identity(other)
      #expect(found.id != store.storeID && found.version > version + 1_000_000)
    }
  }

  @Test func aRefusedStartForgetsNothing() throws {
    let store = try SQLiteStore(directory: directory.path)
    try store.put([Plain(.int(1), [0, 0])])
    let killed = try directory.copied(without: "pincluster.db-wal")
    store.close()
    for _ in 0..<2 {
      #expect(throws: StoreError.self) { try SQLiteStore(directory: killed.path) }
    }
    unlink(killed.path + "/pincluster.commit")
    #expect(try SQLiteStore(directory: killed.path).storeID != store.storeID)
  }

  @Test func aFirstStartThatFailsIsRepeated() throws {
    let (original, copy) = (try TemporaryDirectory(), try TemporaryDirectory())
    let storeID = try SQLiteStore(directory: original.path).storeID
    try Fixtures.write([1, 2, 3], path: copy.database)
    for _ in 0..<2 {
      #expect(throws: StoreError.self) { try SQLiteStore(directory: copy.path) }
      #expect(try copy.bytes(of: "pincluster.lock") == [UInt8(ascii: "?")])
    }
    try Fixtures.write(try original.bytes(of: SQLiteStore.fileName), path: copy.database)
    let other = try SQLiteStore(directory: copy.path).storeID
    #expect(other != storeID)
    #expect(try SQLiteStore(directory: copy.path).storeID == other)
  }

  @Test func aCopyOfTheLockDoesNotOutliveTheStore() throws {
    let store = try SQLiteStore(directory: directory.path)
    // As a child has one between its birth and the program that it becomes.
    var lock = stat()
    #expect(stat(directory.path + "/pincluster.lock", &lock) == 0)
    // Of all that the tests beside this one hold open, which may be many.
    let copies = (0..<Int32(clamping: min(sysconf(Int32(_SC_OPEN_MAX)), 1 << 20))).filter {
      var file = stat()
      return fstat($0, &file) == 0 && file.st_dev == lock.st_dev && file.st_ino == lock.st_ino
    }.map { dup($0) }
    #expect(copies.count == 1)
    defer { for copy in copies { close(copy) } }
    store.close()
    _ = try SQLiteStore(directory: directory.path)
  }

  @Test func aSecondStoreInAnotherProcess() async throws {
    let store = try SQLiteStore(directory: directory.path)
    await #expect(processExitsWith: .success) {
      [path = directory.path as String, owner = getpid() as Int32] in
      #expect(throws: StoreError.directoryInUse(path: path, processID: owner)) {
        try SQLiteStore(directory: path)
      }
    }
    try store.put([Plain(.int(1), [0, 0])])
  }

  @Test func aFileInPlaceOfTheDirectory() throws {
    let file = directory.path + "/file"
    try Fixtures.write([1], path: file)
    for path in [file, file + "/inner"] {
      #expect {
        try SQLiteStore(directory: path)
      } throws: {
        if case .notADirectory? = $0 as? StoreError { true } else { false }
      }
    }
  }

  @Test func aDirectoryInPlaceOfTheDatabase() throws {
    mkdir(directory.database, 0o755)
    #expect {
      try SQLiteStore(directory: directory.path)
    } throws: {
      if case .unreadable? = $0 as? StoreError { true } else { false }
    }
    rmdir(directory.database)
  }

  /// In a child that gives up the privileges that would open everything.
  @Test func withoutPermission() async throws {
    try SQLiteStore(directory: directory.path).put([Plain(.int(1), [0, 0])])
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      func reason(_ path: String) -> String {
        do {
          _ = try SQLiteStore(directory: path)
          return "opened"
        } catch {
          switch error {
          case .readOnly: return "read-only"
          case .unreadable: return "unreadable"
          default: return error.description
          }
        }
      }
      chmod(path, 0o755)
      chmod(path + "/" + SQLiteStore.fileName, 0o444)
      chmod(path + "/pincluster.lock", 0o444)
      if getuid() == 0 {
        #expect(setgid(65_534) == 0 && setuid(65_534) == 0)
      } else {
        chmod(path, 0o555)
      }
      #expect(reason(path) == "read-only")
      #expect(reason(path + "/new") == "read-only")
    }
    chmod(directory.path, 0o700)
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      if getuid() == 0 { #expect(setuid(65_534) == 0) } else { chmod(path, 0o000) }
      #expect {
        try SQLiteStore(directory: path)
      } throws: {
        if case .unreadable? = $0 as? StoreError { true } else { false }
      }
      chmod(path, 0o700)
    }
  }
}
