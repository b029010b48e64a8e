import ClusterCore
import FeatureStore
import TestSupport
import Testing

/// One bit that flipped, or a file that was cut, anywhere in any file: the store opens with
/// everything as it was, or says that it is damaged and leaves every file as it was found.
@Suite(.timeLimit(.minutes(5))) struct BitFlipTests {
  private struct Content: Equatable {
    var infos: [CollectionInfo]
    var features: [[Plain]]

    init(_ store: SQLiteStore) throws {
      infos = try store.collections()
      features = try infos.map { try store.features(of: $0.id, batchSize: 1000) }
    }
  }

  private static func feature(_ number: Int) -> Plain {
    let id: FeatureID = number % 3 == 0 ? .text("t\(number)") : .int(Int64(number))
    let place = [Double(number % 180) + 0.125, Double(number % 90) + 0.5]
    return Plain(id, place, "{\"name\":\"feature \(number)\",\"n\":\(number * 37 % 1001)}")
  }

  /// The files of a store with pages of every kind, closed or as a kill leaves them, and its content.
  private func files(isKilled: Bool) throws -> (files: [String: [UInt8]], content: Content) {
    let directory = try TemporaryDirectory()
    let store = try SQLiteStore(directory: directory.path)
    _ = try store.putCollection("d", title: .set("Title"), description: .set("Description"))
    for part in 0..<8 {
      try store.put((part * 150..<part * 150 + 150).map(BitFlipTests.feature))
    }
    let long = String(repeating: "x", count: 30_000)
    try store.put([Plain(.text("long"), [1, 2, 3], "{\"t\":\"\(long)\"}")])
    try store.put([Plain(.int(1), [1, 2])], into: "d")
    // Leaves free pages.
    try store.put((0..<400).map(BitFlipTests.feature), into: "e")
    _ = try store.dropCollection("e")
    while try store.clearDropped(atMost: 150) {}
    // And a collection that is still to be cleared.
    try store.put((0..<100).map(BitFlipTests.feature), into: "e")
    _ = try store.dropCollection("e")
    let content = try Content(store)
    if !isKilled { store.close() }
    return (try directory.files(without: "pincluster.lock"), content)
  }

  @Test(arguments: [false, true])
  func oneAtATime(isKilled: Bool) throws {
    let (files, content) = try files(isKilled: isKilled)
    #expect(files.count == (isKilled ? 4 : 1))
    var random = SeededGenerator(seed: isKilled ? 1 : 2)
    var found = 0
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      // Some in each page, but no end of them in a long log.
      let places = min(120, max(20, bytes.count / 8192 * 3))
      for round in 0..<places {
        let step = Int.random(in: 0...bytes.count / places, using: &random)
        let place = min(bytes.count * round / places + step, bytes.count - 1)
        var changed = bytes
        if round % 8 == 7 {
          changed.removeLast(bytes.count - place)
        } else {
          changed[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        }
        let directory = try TemporaryDirectory(holding: files.merging([name: changed]) { $1 })
        do {
          let store = try SQLiteStore(directory: directory.path)
          #expect(try Content(store) == content, "\(name), \(place)")
          // It can be written to, or says why not.
          do { try store.put([Plain(.int(5000), [0, 0])]) } catch { #expect(error is StoreError) }
        } catch {
          found += 1
          #expect(isDamage(error), "\(name), \(place): \(error)")
        }
      }
    }
    #expect(found > 20)
  }

  @Test func whatIsFoundAtTheStartIsLeftAsItIs() throws {
    let (files, _) = try files(isKilled: true)
    let log = try #require(files["pincluster.db-wal"])
    for place in [40, log.count / 2, log.count - 100] {
      var changed = files
      changed["pincluster.db-wal"]?[place] ^= 1
      let directory = try TemporaryDirectory(holding: changed)
      for _ in 0..<2 { expectDamaged(directory) }
      for name in ["pincluster.db", "pincluster.db-wal", "pincluster.commit"] {
        #expect(try directory.bytes(of: name) == changed[name], "\(name), \(place)")
      }
    }
  }

  @Test func aLogThatIsGoneIsMissed() throws {
    var (files, _) = try files(isKilled: true)
    for name in ["pincluster.db-wal", "pincluster.db"] {
      files[name] = nil
      let directory = try TemporaryDirectory(holding: files)
      expectDamaged(directory)
    }
  }

  /// A drop takes the latest version with it; a kill right after it is no damage.
  @Test func aDroppedCollectionIsNotMissed() throws {
    let directory = try TemporaryDirectory()
    let store = try SQLiteStore(directory: directory.path)
    try store.put([Plain(.int(1), [0, 0])])
    try store.put([Plain(.int(1), [0, 0])], into: "d")
    let note = try directory.bytes(of: "pincluster.commit")
    _ = try store.dropCollection("d")
    let copy = try directory.copied(without: "pincluster.lock")
    #expect(try copy.bytes(of: "pincluster.commit") != note)
    #expect(try SQLiteStore(directory: copy.path).collections().map(\.id) == ["c"])
  }
}
