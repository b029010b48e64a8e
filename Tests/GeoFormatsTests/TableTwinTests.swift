import ClusterCore
import GeoFormats
import Glibc
import TestSupport
import Testing

/// Random tables in random dialects are read as what was written, or refused; no place is ever another one.
/// PINCLUSTER_TEST_TABLES says how many.
@Suite(.timeLimit(.minutes(5))) struct TableTwinTests {
  private static let count =
    getenv("PINCLUSTER_TEST_TABLES").flatMap { Int(String(cString: $0)) } ?? 2000

  @Test func randomTables() {
    var read = 0
    for seed in 0..<TableTwinTests.count {
      var random = SeededGenerator(seed: UInt64(seed))
      let table = TwinTable(&random)
      if check(table, "table \(seed)") { read += 1 }
    }
    // Most can be told.
    #expect(read > TableTwinTests.count * 3 / 4, "\(read)")
  }

  /// What comes of a table doesn't depend on how much of it is looked at first.
  @Test func looks() {
    for seed in 0..<(TableTwinTests.count / 4) {
      var random = SeededGenerator(seed: UInt64(seed))
      let table = TwinTable(&random)
      func outcome(_ look: Int) -> String {
        do {
          let parsed = try read(table, look: look)
          let records = (0..<parsed.batch.count).map { index in
            parsed.batch.withRecord(at: index) { record in
              let id = record.needsID ? "" : "\(record.id) \(record.id.isWrittenAsText)"
              return "\(id) \(record.coordinate) \(text(record.properties))"
            }
          }
          return "\(records) \(parsed.problems) \(parsed.notes)"
        } catch {
          return "\(error)"
        }
      }
      let whole = outcome(table.bytes.count)
      for look in [0, random.int(0...table.bytes.count)] {
        #expect(outcome(look) == whole, "table \(seed), look \(look)\n\(shown(table))")
      }
    }
  }

  private func read(_ table: TwinTable, look: Int) throws -> ParsedFeatures {
    try ParsedFeatures(
      of: table.bytes, .csv, idProperty: table.idProperty, table: table.options, look: look)
  }

  /// Returns whether a table was read as a whole.
  private func check(_ table: TwinTable, _ name: String) -> Bool {
    var parsed = ParsedFeatures()
    do {
      parsed = try read(table, look: table.bytes.count)
    } catch {
      let text = "\(error)"
      let names = table.choices.allSatisfy {
        text.contains("\\\"\($0)\\\"") || text.contains("\"\($0)\"")
      }
      #expect(
        table.isMisleading || !table.choices.isEmpty && names, "\(name): \(text)\n\(shown(table))")
      return false
    }
    var places: [[Double]] = []
    var features: [String] = []
    for index in 0..<parsed.batch.count {
      parsed.batch.withRecord(at: index) { record in
        let id = record.needsID ? nil : record.id
        let shown = id.map { $0.isWrittenAsText ? "\"\($0)\"" : "\($0)" } ?? "-"
        places.append([record.coordinate.longitude, record.coordinate.latitude])
        features.append("\(shown) \(text(record.properties))")
      }
    }
    // Bad ones may be missing, but those that are there stand where they must.
    var rest = table.places[...]
    for place in places {
      let found = rest.firstIndex { zip($0, place).allSatisfy { abs($0 - $1) < 1e-11 } }
      guard let found else {
        Issue.record("\(name): nobody wrote \(place)\n\(shown(table))")
        return false
      }
      rest = rest[(found + 1)...]
    }
    if table.isMisleading { return false }
    #expect(
      table.choices.isEmpty && parsed.rejected == 0 && features == table.features,
      "\(name): \(parsed.problems) \(features)\n\(shown(table))")
    return parsed.rejected == 0
  }

  private func shown(_ table: TwinTable) -> String {
    "\(table.options)\n\(String(decoding: table.bytes, as: UTF8.self))"
  }
}
