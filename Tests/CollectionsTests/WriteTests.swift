import ClusterCore
import FeatureStore
import GeoFormats
import TestSupport
import Testing
import Texts
import Threading

@testable import Collections

/// Writes as values, and what they come to.
@Suite(.timeLimit(.minutes(5))) struct WriteTests {
  /// A catalogue and its writer over a store in a directory of its own.
  private final class Pipeline {
    let catalog = Catalog()
    let writer: CollectionWriter
    private let directory: TemporaryDirectory

    init(limits: WriteLimits = WriteLimits()) throws {
      directory = try TemporaryDirectory()
      writer = CollectionWriter(
        store: try SQLiteStore(directory: directory.path), catalog: catalog, limits: limits)
      try writer.load()
    }

    deinit { writer.close() }

    /// Carries out a change of the collection `c` and checks that what it came to is shown.
    @discardableResult
    func perform(
      _ change: Write.Change, isSmall: Bool = false, on conditions: CollectionConditions? = nil
    ) throws -> WriteOutcome {
      let share = try #require(writer.memory.share(of: 0, for: 0))
      var write = Write(by: CatalogView(catalog), in: "c", isSmall: isSmall, change)
      write.conditions = conditions
      let outcome = try writer.perform(write, share)
      #expect(outcome.version == catalog.version(of: "c")?.number)
      return outcome
    }

    func store(_ ids: ClosedRange<Int64>) throws -> WriteOutcome {
      var batch = FeatureBatch()
      for id in ids { try WriteTests.feature(id).withRecord(at: 0) { batch.append($0) } }
      return try perform(.store(.init(batch, leavesOutForbidden: false, tellsIDs: true)))
    }
  }

  private static func feature(_ id: Int64, _ properties: String = "{}") throws -> FeatureBatch {
    var batch = FeatureBatch()
    properties.utf8.withContiguousStorageIfAvailable { bytes in
      batch.append(
        id: try? FeatureID(integer: id), coordinate: Coordinate(latitude: 1, longitude: 2),
        further: UnsafeBufferPointer(start: nil, count: 0),
        properties: UnsafeRawBufferPointer(bytes))
    }
    return batch
  }

  /// The name of a state of a feature.
  private static func name(_ batch: FeatureBatch) -> [UInt8] {
    var json = JSONWriter()
    batch.withRecord(at: 0) { json.feature($0, tellsNever: false) }
    return Array(ContentHash.text(of: json.bytes).utf8)
  }

  private static func reason(_ body: () throws -> Void) -> WriteOutcome.Rejection? {
    do { try body() } catch { return error as? WriteOutcome.Rejection }
    return nil
  }

  @Test func `a write comes to what is shown then`() throws {
    let pipeline = try Pipeline()
    var updates = Write.CollectionUpdates()
    updates.title = .set("Cities")
    guard
      case .described(let snapshot, isNew: true) = try pipeline.perform(.describe(updates)).result
    else { return #expect(Bool(false), "not described") }
    #expect(snapshot.info == pipeline.catalog["c"]?.info && snapshot.info.title == "Cities")
    let id = try FeatureID(integer: 7)
    let (one, other) = (try Self.feature(7), try Self.feature(7, #"{"a":1}"#))
    for (batch, isNew) in [(one, true), (other, false)] {
      let outcome = try pipeline.perform(.put(id, batch, on: WriteConditions()), isSmall: true)
      guard case .storedOne(let stored, isNew: isNew) = outcome.result else {
        Issue.record("\(outcome.result)")
        continue
      }
      #expect(Self.name(stored) == Self.name(batch))
      #expect(pipeline.catalog["c"]?.index.count == 1)
    }
    guard case .deleted(1, from: nil) = try pipeline.perform(.delete(id, on: .init())).result else {
      return #expect(Bool(false), "not deleted")
    }
    #expect(pipeline.catalog["c"]?.index.count == 0)
    try pipeline.perform(.drop)
    #expect(pipeline.catalog["c"] == nil)
  }

  @Test func `features are stored once, with their ids`() throws {
    let pipeline = try Pipeline()
    for (inserted, updated) in [(3, 0), (0, 3)] {
      let outcome = try pipeline.store(1...3)
      guard
        case .stored(inserted: inserted, updated: updated, leftOut: [], ids: let ids) = outcome
          .result
      else {
        Issue.record("\(outcome.result)")
        continue
      }
      #expect(ids == (1...3).compactMap { try? FeatureID(integer: $0) })
    }
    let deletion = FeatureDeletion(
      passing: nil, in: try DegreesRegion(west: 0, south: 0, east: 3, north: 3), at: nil)
    let before = pipeline.catalog["c"]
    let outcome = try pipeline.perform(.deleteAll(deletion, nil))
    guard case .deleted(3, let from?) = outcome.result else {
      return #expect(Bool(false), "\(outcome.result)")
    }
    #expect(from === before && pipeline.catalog["c"]?.index.count == 0)
  }

  @Test func `a condition compares the state of a feature with those that are expected`() throws {
    let pipeline = try Pipeline()
    let id = try FeatureID(integer: 7)
    let (one, other) = (try Self.feature(7), try Self.feature(7, #"{"a":1}"#))
    func put(_ batch: FeatureBatch, _ conditions: WriteConditions) -> WriteOutcome.Rejection? {
      Self.reason { try pipeline.perform(.put(id, batch, on: conditions)) }
    }
    typealias States = WriteConditions.States
    func isRefused(_ rejection: WriteOutcome.Rejection?, isThere: Bool) -> Bool {
      guard let rejection, case .condition(isThere) = rejection.reason else { return false }
      return rejection.version == pipeline.catalog.version(of: "c")?.number
    }
    #expect(isRefused(put(one, WriteConditions(match: .any)), isThere: false))
    #expect(isRefused(put(one, WriteConditions(match: .named([Self.name(one)]))), isThere: false))
    #expect(pipeline.catalog["c"] == nil)
    #expect(put(one, WriteConditions(noneMatch: .any)) == nil)
    #expect(isRefused(put(one, WriteConditions(noneMatch: .any)), isThere: true))
    let names = States.named([Self.name(other), Self.name(one)])
    #expect(isRefused(put(other, WriteConditions(noneMatch: names)), isThere: true))
    #expect(
      isRefused(put(other, WriteConditions(match: .named([Self.name(other)]))), isThere: true))
    #expect(isRefused(put(other, WriteConditions(match: .named([]))), isThere: true))
    #expect(put(other, WriteConditions(match: names)) == nil)
    #expect(pipeline.catalog["c"]?.info.version == pipeline.catalog.version(of: "c")?.number)
  }

  @Test func `a condition on a collection is checked in its write's turn`() throws {
    let pipeline = try Pipeline()
    /// Whether the collection is there that doesn't meet the conditions; nil if they are met.
    func perform(_ change: Write.Change, _ conditions: WriteConditions) -> Bool? {
      let rejection = Self.reason {
        try pipeline.perform(
          change, on: CollectionConditions(conditions) { ["\($0.version)", "x"] })
      }
      guard let rejection, case .condition(let isThere) = rejection.reason else { return nil }
      return isThere
    }
    func version() -> [UInt8] { Array("\(pipeline.catalog["c"]?.info.version ?? 0)".utf8) }
    let deletion = FeatureDeletion(
      passing: nil, in: try DegreesRegion(west: 0, south: 0, east: 3, north: 3), at: nil)
    let updates = Write.Change.describe(Write.CollectionUpdates())
    for change in [updates, .drop, .deleteAll(deletion, nil)] {
      #expect(perform(change, WriteConditions(match: .any)) == false)
      #expect(perform(change, WriteConditions(match: .named([version()]))) == false)
    }
    #expect(pipeline.catalog["c"] == nil)
    #expect(perform(updates, WriteConditions(noneMatch: .any)) == nil)
    let old = version()
    _ = try pipeline.store(1...3)
    for change in [updates, .drop, .deleteAll(deletion, nil)] {
      #expect(perform(change, WriteConditions(match: .named([old]))) == true)
      #expect(perform(change, WriteConditions(noneMatch: .any)) == true)
      #expect(perform(change, WriteConditions(noneMatch: .named([Array("x".utf8)]))) == true)
    }
    #expect(pipeline.catalog["c"]?.index.count == 3)
    #expect(perform(.deleteAll(deletion, nil), WriteConditions(match: .named([version()]))) == nil)
    #expect(pipeline.catalog["c"]?.index.count == 0)
    #expect(perform(updates, WriteConditions(match: .any, noneMatch: .named([old]))) == nil)
    #expect(perform(.drop, WriteConditions(match: .named([old, version()]))) == nil)
    #expect(pipeline.catalog["c"] == nil)
  }

  @Test func `what isn't there is told with the version at which that is seen`() throws {
    let pipeline = try Pipeline()
    let id = try FeatureID(integer: 7)
    let gone = Self.reason { try pipeline.perform(.drop) }
    guard let gone, case .noCollection = gone.reason else {
      return #expect(Bool(false), "dropped")
    }
    #expect(gone.version == nil)
    _ = try pipeline.store(1...1)
    let missing = Self.reason { try pipeline.perform(.delete(id, on: WriteConditions())) }
    guard let missing, case .noFeature = missing.reason else {
      return #expect(Bool(false), "deleted")
    }
    #expect(missing.version == pipeline.catalog["c"]?.info.version)
    let deletion = FeatureDeletion(
      passing: nil, in: nil, at: TimeExtent(first: 0, last: 1))
    #expect(throws: CollectionsError.noTimes) { try pipeline.perform(.deleteAll(deletion, nil)) }
    #expect(pipeline.catalog["c"]?.index.count == 1)
  }

  @Test func `there are as many collections as there may be`() throws {
    var limits = WriteLimits()
    limits.collections = 0
    let pipeline = try Pipeline(limits: limits)
    #expect(throws: CollectionsError.tooManyCollections) { try pipeline.store(1...2) }
    #expect(throws: CollectionsError.tooManyCollections) {
      try pipeline.perform(.describe(Write.CollectionUpdates()))
    }
    pipeline.writer.close()
    #expect(throws: CollectionsError.stopping) { try pipeline.store(1...2) }
  }

  @Test func `features that the author may not write are left out, or nothing is stored`() {
    var batch = FeatureBatch()
    for id in 1...5 as ClosedRange<Int64> {
      batch.append(
        id: try? FeatureID(integer: id), coordinate: Coordinate(latitude: 0, longitude: 0),
        further: UnsafeBufferPointer(start: nil, count: 0),
        properties: UnsafeRawBufferPointer(start: nil, count: 0))
    }
    batch.remove([0, 3])
    let ids = (0..<batch.count).map { batch.withRecord(at: $0) { $0.id } }
    #expect(ids == [2, 3, 5].compactMap { try? FeatureID(integer: $0) })
  }

  /// Threads that write in turn with the answers, and leave one after the other: those that are waited for no more.
  @Test func writesOfManyEndAlsoWhereOthersLeave() throws {
    let pipeline = try Pipeline()
    let (writer, view) = (pipeline.writer, CatalogView(pipeline.catalog))
    let stored = Locked(0)
    let threads = (1...8 as ClosedRange<Int64>).map { number in
      Threads.start {
        for id in number * 1000..<number * 1020 {
          guard let batch = try? WriteTests.feature(id),
            let share = writer.memory.share(of: 0, for: 0)
          else { continue }
          let new = Write.NewFeatures(batch, leavesOutForbidden: false, tellsIDs: false)
          let write = Write(by: view, in: "c", isSmall: true, .store(new))
          if (try? writer.perform(write, share)) != nil { stored.withLock { $0 += 1 } }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(stored.value == 20 * 36)
    #expect(pipeline.catalog["c"]?.info.featureCount == 20 * 36)
    #expect(writer.waitingWrites == 0)
  }

  @Test func `an error of a shared store that lasts is told once`() {
    var following = CollectionWriter.Following()
    let (one, other) = (StoreError.io(reason: "one"), StoreError.io(reason: "other"))
    let told = [one, one, other, other, one].map { following.isNews($0) }
    #expect(told == [true, false, true, false, true])
    // These are over by themselves, or told as the loss of the store.
    let passing = [
      StoreError.away(reason: "held up"), .conflict(reason: "another was faster"), one,
    ]
    let isTold = passing.contains { following.isNews($0) }
    #expect(!isTold)
  }
}
