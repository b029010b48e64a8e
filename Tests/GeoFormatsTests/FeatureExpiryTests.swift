import ClusterCore
import GeoFormats
import TestSupport
import Testing

/// The member `expires` of features.
@Suite(.timeLimit(.minutes(5))) struct FeatureExpiryTests {
  /// The text of a Feature with a given text of `expires`.
  private func expiring(_ expires: String?) -> String {
    let member = expires.map { ",\"expires\":\($0)" } ?? ""
    return "{\"type\":\"Feature\",\"id\":\"a\",\"geometry\":{\"type\":\"Point\","
      + "\"coordinates\":[1.5,2,3]},\"properties\":{\"expires\":1}\(member)}"
  }

  private func batch(_ text: String, _ format: FeatureFormat) throws -> FeatureBatch {
    let parsed = try ParsedFeatures(of: Array(text.utf8), format)
    #expect(parsed.rejected == 0)
    return parsed.batch
  }

  private func written(_ batch: FeatureBatch, at index: Int) -> String {
    var json = JSONWriter()
    batch.withRecord(at: index) { json.feature($0, tellsNever: false) }
    return text(json.bytes)
  }

  @Test(
    arguments: [
      ("\"2026-07-01T12:00:00+02:00\"", 1_782_900_000_000, "\"2026-07-01T10:00:00Z\""),
      ("\"1970-01-01T00:00:00.0050Z\"", 5, "\"1970-01-01T00:00:00.005Z\""),
      ("\"\\u0031970-01-01T00:00:00Z\"", 0, "\"1970-01-01T00:00:00Z\""),
      ("null", nil, "null"), (nil, nil, nil),
    ] as [(String?, Int64?, String?)])
  func everyReaderReadsIt(member: String?, time: Int64?, answer: String?) throws {
    let one = expiring(member)
    for (body, format) in [
      (one, FeatureFormat.geoJSON), (collection(feature(), one), .geoJSON),
      (feature() + "\n" + one, .geoJSONSequence), ("\u{1E}\(one)\n", .geoJSONSequence),
    ] {
      var batch = try batch(body, format)
      let last = batch.count - 1
      batch.withRecord(at: last) { record in
        #expect(record.expires == time && record.neverExpires == (member == "null"))
        #expect(record.coordinate == Coordinate(latitude: 2, longitude: 1.5))
        #expect(Array(record.furtherOrdinates) == [3])
        #expect(text(record.properties) == "{\"expires\":1}" && record.id.description == "a")
      }
      #expect(written(batch, at: last) == expiring(answer))
      // Explicit values stay, absent ones get the default, and null means never.
      batch.applyDefaultExpiry(7)
      let settled = batch.withRecord(at: last) { ($0.expires, $0.neverExpires) }
      #expect(settled == (time ?? (member == nil ? 7 : nil), false))
      if last > 0 { #expect(batch.withRecord(at: 0) { $0.expires } == 7) }
    }
  }

  @Test(arguments: ["1782900000", "true", "{}", "[]", "\"\"", "\"2026-07-01\"", "\"tomorrow\""])
  func badOnesAreBadFeatures(member: String) {
    let outcome = read(collection(feature(), expiring(member)), .geoJSON)
    #expect(outcome.features.count == 1 && outcome.problems.map(\.pointer) == ["/features/1"])
    #expect(
      outcome.problems.first?.detail.hasPrefix("/expires is not an RFC 3339 date-time") == true)
    #expect(read(expiring(member), .geoJSONSequence).problems.map(\.pointer) == ["/lines/1"])
  }

  @Test func ofSeveralTheLastCounts() throws {
    let twice = expiring("\"tomorrow\"").dropLast() + ",\"expires\":\"1970-01-01T00:00:01Z\"}"
    #expect(try batch(String(twice), .geoJSON).withRecord(at: 0) { $0.expires } == 1000)
  }

  @Test func aColumnOfATableIsAProperty() throws {
    let batch = try batch("lon,lat,expires\n1,2,2026-07-01T12:00:00Z\n", .csv)
    batch.withRecord(at: 0) { record in
      #expect(record.expires == nil && !record.neverExpires)
      #expect(text(record.properties) == #"{"expires":"2026-07-01T12:00:00Z"}"#)
    }
  }

  /// Records with and without an expiry, in every form, one after the other.
  @Test func recordsOfEveryFormKeepWhatTheyHold() {
    var random = SeededGenerator(seed: 8)
    var batch = FeatureBatch()
    var expected: [(FeatureID?, [Double], String, Int64?)] = []
    for number in 0..<500 {
      let ids: [FeatureID?] = [
        nil, try? FeatureID(integer: Int64(number)), try? FeatureID(text: "id \(number)".utf8),
        try? FeatureID(text: "\(number)".utf8),
      ]
      let id = ids.randomElement(using: &random) ?? nil
      let further = (0..<Int.random(in: 0...3, using: &random)).map { Double($0 + number) }
      let properties = "{\"n\":\"\(String(repeating: "x", count: number % 17))\"}"
      let expires =
        Bool.random(using: &random) ? Int64.random(in: DateTime.range, using: &random) : nil
      further.withUnsafeBufferPointer { further in
        var properties = properties
        properties.withUTF8 { bytes in
          batch.append(
            id: id, coordinate: Coordinate(latitude: 1, longitude: 2), further: further,
            properties: UnsafeRawBufferPointer(bytes), expires: expires)
        }
      }
      expected.append((id, further, properties, expires))
    }
    for (number, feature) in expected.enumerated() {
      if feature.0 == nil { batch.assignID(Int64(number) + 1000, at: number) }
      batch.withRecord(at: number) { record in
        #expect(!record.needsID && record.expires == feature.3)
        #expect(record.id == (feature.0 ?? (try? FeatureID(integer: Int64(number) + 1000))))
        #expect(record.id.isWrittenAsText == (feature.0?.isWrittenAsText ?? false))
        #expect(Array(record.furtherOrdinates) == feature.1 && text(record.properties) == feature.2)
      }
    }
  }
}
