import ClusterCore
import Glibc
import TestSupport
import Testing
import Threading

@testable import FeatureStore

extension TemporaryDirectory {
  /// The database of a store in it.
  var database: String { file(SQLiteStore.fileName) }
}

/// Opens the store in a directory, and reads every feature.
func readAll(_ directory: TemporaryDirectory) throws {
  let store = try SQLiteStore(directory: directory.path)
  for info in try store.collections() { _ = try store.features(of: info.id) }
}

/// Expects that this finds damage.
func expectDamaged(
  _ directory: TemporaryDirectory, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(sourceLocation: sourceLocation) {
    try readAll(directory)
  } throws: {
    isDamage($0)
  }
}

/// Whether an error tells of damage.
func isDamage(_ error: any Error) -> Bool {
  if case .damaged? = error as? StoreError { true } else { false }
}

/// A feature by value, compared bit for bit and with the form of its id.
struct Plain: Hashable, CustomStringConvertible {
  var id: FeatureID?
  var isWrittenAsText = false
  var position: [UInt64]
  var properties: [UInt8]
  var expires: Int64?

  init(_ id: FeatureID?, _ ordinates: [Double], _ properties: String = "{}") {
    self.id = id
    isWrittenAsText = id?.isWrittenAsText ?? false
    position = ordinates.map(\.bitPattern)
    self.properties = Array(properties.utf8)
  }

  init(_ record: FeatureRecord) {
    id = record.needsID ? nil : record.id
    isWrittenAsText = id?.isWrittenAsText ?? false
    let coordinate = record.coordinate
    position =
      [coordinate.longitude.bitPattern, coordinate.latitude.bitPattern]
      + record.furtherOrdinates.map(\.bitPattern)
    properties = Array(record.properties)
    expires = record.expires
  }

  var description: String {
    "\(id?.description ?? "-") \(isWrittenAsText) \(position.map(Double.init(bitPattern:))) "
      + String(decoding: properties, as: UTF8.self) + (expires.map { " until \($0)" } ?? "")
  }
}

extension FeatureBatch {
  init(_ features: [Plain]) {
    self.init()
    for feature in features {
      let ordinates = feature.position.map(Double.init(bitPattern:))
      ordinates.dropFirst(2).withContiguousStorageIfAvailable { further in
        feature.properties.withUnsafeBytes { properties in
          append(
            id: feature.id, coordinate: Coordinate(latitude: ordinates[1], longitude: ordinates[0]),
            further: further, properties: properties, expires: feature.expires)
        }
      }
    }
  }

  var plain: [Plain] { (0..<count).map { withRecord(at: $0) { Plain($0) } } }
}

extension FeatureID {
  static func int(_ value: Int64) -> FeatureID {
    guard let id = try? FeatureID(integer: value) else { fatalError("not an id: \(value)") }
    return id
  }

  static func text(_ value: String) -> FeatureID {
    guard let id = try? FeatureID(text: value.utf8) else { fatalError("not an id: \(value)") }
    return id
  }
}

extension SQLiteStore {
  /// Every feature of a collection, in the order in which the store gives them.
  func features(of id: String, batchSize: Int = 7) throws -> [Plain] {
    guard let info = try collections().first(where: { $0.id == id }) else { return [] }
    let result = Locked<[Plain]>([])
    try forEachBatch(of: info, batchSize: batchSize) { batch in
      result.withLock { $0 += batch.plain }
    }
    return result.withLock { $0 }
  }

  /// Calls `body` on another thread with the features that haven't expired, from the rows, in the order of ids.
  func forEachBatch(
    of info: CollectionInfo, batchSize: Int,
    _ body: @escaping @Sendable (FeatureBatch) throws -> Void
  ) throws {
    let rows = RowLoader(
      connection: try writable().connection, info: info, now: clock.now, batchSize: batchSize)
    _ = try rows.load(into: body)
  }

  /// Copies the write-ahead log into the database file, as far as no reader needs it.
  func checkpoint() throws {
    try writable().connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  @discardableResult
  func put(_ features: [Plain], into id: String = "c") throws -> UpsertResult {
    var batch = FeatureBatch(features)
    return try upsert(&batch, into: id)
  }
}
