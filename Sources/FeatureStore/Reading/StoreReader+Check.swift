import ClusterCore
internal import Texts
import Threading

extension StoreReader {
  /// The result of a check.
  public struct Report: Sendable {
    /// The collections that were read.
    public var collections = 0
    /// Their rows.
    public var features = 0
    /// Their index files.
    public var indexFiles = 0
    /// The faults, a sentence each; empty if there are none.
    public var findings: [String] = []
    /// Notes on harmless findings.
    public var notes: [String] = []
  }

  /// The most findings of the structure.
  private static let mostFindings = 20

  /// Checks everything: the structure of the database with its indexes, the checksum of each row, the counts of
  /// collections, the mark of the last commit, and each index file against the rows. Reads all of it; holds the index
  /// of one collection in memory.
  ///
  /// - Parameter begin: hears of each part before it is read.
  /// - Complexity: O(rows).
  public func check(begin: (String) -> Void) -> Report {
    var report = Report()
    func note(_ place: String = "", _ body: () throws -> Void) {
      do { try body() } catch { report.findings.append("\(place)\(error)") }
    }
    begin("structure")
    note {
      let lines = try connection.texts(
        "PRAGMA integrity_check(\(StoreReader.mostFindings))", atMost: StoreReader.mostFindings)
      if lines != ["ok"] { report.findings += lines.map { "the structure of \(path): \($0)" } }
    }
    guard isCurrent else { return report }
    note { try checkSchema() }
    // While it is in use, the mark belongs to a later commit than the rows read.
    note { try checkLog() }
    note { try checkCounter() }
    note { try checkOwners() }
    var infos: [CollectionInfo] = []
    note { infos = try collections() }
    for info in infos {
      report.collections += 1
      begin(info.id)
      note("the collection \(info.id): ") { try check(info, &report) }
    }
    return report
  }

  /// The tables are as the migrations make them. SQLite looks at some of their text only where something is written.
  private func checkSchema() throws {
    let fresh = try Connection(path: path, .inMemory)
    for step in Schema.migrations { try fresh.execute(step) }
    let query = """
      SELECT name || char(10) || type || char(10) || tbl_name || char(10) || sql FROM sqlite_schema
      WHERE sql IS NOT NULL
      """
    let found = Set(try connection.texts(query, atMost: 1000).map { ExactText($0) })
    for expected in try fresh.texts(query, atMost: 1000) where !found.contains(ExactText(expected))
    {
      let name = expected.cut(at: 0x0A).0
      throw connection.damage("what it says of the table or index \(name) isn't what was written")
    }
  }

  private func checkCounter() throws {
    let count = try connection.integer(
      """
      SELECT count(*) FROM store
      WHERE typeof(version) = 'integer' AND version >= (SELECT ifnull(max(version), 0) FROM collections)
      """)
    guard count == 1 else { throw connection.damage("its counter is missing, or makes no sense") }
  }

  /// Each row belongs to a collection, also one that was dropped.
  private func checkOwners() throws {
    let next = try Statement(
      "SELECT min(collection) FROM features WHERE collection > ?1", on: connection)
    let owner = try Statement("SELECT 1 FROM collections WHERE key = ?1", on: connection)
    var key = Int64.min
    while true {
      let found = try next.first(key) { row throws(StoreError) in row.optionalInteger(0) }
      guard let found = found.flatMap({ $0 }) else { return }
      guard try owner.first(found, body: { _ throws(StoreError) in true }) == true else {
        throw connection.damage("features belong to a collection that doesn't exist")
      }
      key = found
    }
  }

  private func check(_ info: CollectionInfo, _ report: inout Report) throws {
    let changes = try ChangeLog(connection)
    let now = clock.now
    // A start by a clock that has gone back behind the expiry of features doesn't use the file either.
    guard let state = changes.states[info.key], let file = state.file, now >= state.expiredUntil
    else {
      _ = try RowLoader(connection: connection, info: info, now: now).load { _ in }
      report.features += info.featureCount
      return
    }
    let index = try FeatureIndexBuilder.withMemory(for: info.featureCount) {
      () throws -> FeatureIndex? in try self.index(file, changes, info, now: now, &report)
    }.flatMap { $0 }
    let differences = Locked((count: 0, first: ""))
    let living = Locked(0)
    _ = try RowLoader(connection: connection, info: info, now: now).load { batch in
      living.withLock { $0 += batch.count }
      guard let index else { return }
      for number in 0..<batch.count {
        batch.withRecord(at: number) { record in
          let ordinal = index.ordinal(of: record.id)
          if ordinal.map({ index.record(at: $0).equals(record) }) ?? false { return }
          differences.withLock { found in
            if found.count == 0 { found.first = "\(record.id)" }
            found.count += 1
          }
        }
      }
    }
    report.features += info.featureCount
    guard let index else { return }
    report.indexFiles += 1
    let name = file.path(besides: path)
    let (count, first) = differences.withLock { $0 }
    if count > 0 {
      report.findings.append(
        "\(name) doesn't agree with the rows of \(info.id): \(count.counted("feature")) \(count == 1 ? "differs" : "differ"), first \(first)"
      )
    } else if index.count != living.withLock({ $0 }) {
      report.findings.append(
        "\(name) doesn't agree with the rows of \(info.id): it has features that have no row")
    }
  }

  /// The index of a collection by its file, without features that have expired; nil if the file is of no use.
  private func index(
    _ file: IndexFileName, _ changes: ChangeLog, _ info: CollectionInfo, now: Int64,
    _ report: inout Report
  ) throws -> FeatureIndex? {
    let name = file.path(besides: path)
    let id = UInt64(bitPattern: try connection.integer("SELECT id FROM store") ?? 0)
    if let found = try changes.index(of: info, from: file, storeID: id, now: now) {
      return found.index
    }
    if DataDirectory.isMissing(name) {
      // A service may have replaced it since this reader began. A backup doesn't have it.
      if !isHeld { report.notes.append("\(name) is missing; the next start makes it again") }
    } else {
      report.findings.append("\(name) is damaged; the next start makes it again from the rows")
    }
    return nil
  }
}
