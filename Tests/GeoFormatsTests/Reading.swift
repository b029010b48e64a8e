import ClusterCore
import GeoFormats

/// A copy of a feature for comparisons.
struct ReadFeature: Equatable, CustomStringConvertible {
  var id: FeatureID?
  var isText: Bool
  var ordinates: [Double]
  var properties: String
  var description: String { "\(id.map(\.description) ?? "-") \(ordinates) \(properties)" }
}

/// The outcome of reading a stream.
struct Outcome: Equatable {
  var features: [ReadFeature] = []
  var problems: [FeatureProblem] = []
  var rejected = 0
  var notes: [String] = []
  var error: FormatError?

  var isMalformed: Bool { if case .malformed? = error { true } else { false } }
  var refusedAt: String? { if case .notFeatures(let pointer, _)? = error { pointer } else { nil } }
}

extension FeatureReader {
  /// Reads a chunk.
  mutating func read(_ chunk: [UInt8], into parsed: inout ParsedFeatures) throws(FormatError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      try read(UnsafeRawBufferPointer(bytes), into: &parsed)
    }
  }
}

/// Reads a stream that is split before the given indices.
func read(
  _ bytes: [UInt8], _ format: FeatureFormat, idProperty: String? = nil, cuts: [Int] = [],
  maximumLength: Int = FeatureReader.usualLength
) -> Outcome {
  var reader = FeatureReader(
    format: format, idProperty: idProperty, maximumLength: maximumLength)
  var parsed = ParsedFeatures()
  var outcome = Outcome()
  do throws(FormatError) {
    var start = 0
    for cut in cuts + [bytes.count] {
      // A copy of only the chunk, so that the sanitizer notices reads beyond it.
      let chunk = Array(bytes[start..<cut])
      try reader.read(chunk, into: &parsed)
      start = cut
    }
    try reader.finish(into: &parsed)
  } catch {
    outcome.error = error
  }
  for index in 0..<parsed.batch.count {
    parsed.batch.withRecord(at: index) { record in
      let coordinate = record.coordinate
      let id = record.needsID ? nil : record.id
      outcome.features.append(
        ReadFeature(
          id: id, isText: id?.isWrittenAsText ?? false,
          ordinates: [coordinate.longitude, coordinate.latitude] + record.furtherOrdinates,
          properties: text(record.properties)))
    }
  }
  outcome.problems = parsed.problems
  outcome.rejected = parsed.rejected
  outcome.notes = parsed.notes
  return outcome
}

func read(
  _ text: String, _ format: FeatureFormat, idProperty: String? = nil,
  maximumLength: Int = FeatureReader.usualLength
) -> Outcome {
  read(Array(text.utf8), format, idProperty: idProperty, maximumLength: maximumLength)
}

/// A Feature's text.
func feature(
  _ coordinates: String = "[1,2]", properties: String = "{}", id: String? = nil
) -> String {
  let member = id.map { "\"id\":\($0)," } ?? ""
  return """
    {"type":"Feature",\(member)"geometry":{"type":"Point","coordinates":\(coordinates)},\
    "properties":\(properties)}
    """
}

/// A FeatureCollection's text.
func collection(_ features: String...) -> String {
  "{\"type\":\"FeatureCollection\",\"features\":[" + features.joined(separator: ",") + "]}"
}
