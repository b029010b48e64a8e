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

extension TableSurvey {
  /// Looks at a chunk.
  mutating func read(_ chunk: [UInt8]) throws(FormatError) {
    try chunk.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      try read(UnsafeRawBufferPointer(bytes))
    }
  }
}

extension ParsedFeatures {
  /// The features of a whole body.
  init(
    of bytes: [UInt8], _ format: FeatureFormat = .geoJSON, idProperty: String? = nil,
    table options: TableOptions = TableOptions(), maximumLength: Int = FeatureReader.usualLength,
    room: DecodingRoom = .unlimited, look: Int = usualLook
  ) throws(FormatError) {
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      try ParsedFeatures(
        UnsafeRawBufferPointer(bytes), format, idProperty: idProperty, table: options,
        maximumLength: maximumLength, room: room, look: look)
    }
  }
}

/// Reads a stream that is split before the given indices.
func read(
  _ bytes: [UInt8], _ format: FeatureFormat, idProperty: String? = nil, cuts: [Int] = [],
  maximumLength: Int = FeatureReader.usualLength
) -> Outcome {
  // Copies of only the chunks, so that the sanitizer notices reads beyond them.
  let chunks = zip([0] + cuts, cuts + [bytes.count]).map { Array(bytes[$0..<$1]) }
  var parsed = ParsedFeatures()
  var outcome = Outcome()
  do throws(FormatError) {
    var reader = FeatureReader(
      isSequence: format == .geoJSONSequence, idProperty: idProperty, maximumLength: maximumLength)
    if format == .csv {
      var survey = TableSurvey(idProperty: idProperty, maximumLength: maximumLength)
      for chunk in chunks { try survey.read(chunk) }
      reader = FeatureReader(
        table: try survey.finish(isWhole: true, isFinal: true), maximumLength: maximumLength)
    }
    for chunk in chunks { try reader.read(chunk, into: &parsed) }
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
