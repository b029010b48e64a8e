/// Reads features from a stream of bytes, in chunks of any size: one implementation for HTTP bodies
/// and files. However the bytes are cut, the result is the same.
///
/// Memory is bounded by the longest feature (and, for GeoJSON, by the rest of the document), both
/// capped at ``maximumFeatureLength``. Until ``finish(into:)`` has returned, the features are
/// provisional: the document may still turn out to be malformed or to be no feature collection.
///
/// Don't use copies of a reader side by side: they share a parser.
public struct FeatureReader {
  /// The longest feature, line, record, or GeoJSON document without its `features`, in bytes.
  public static let maximumFeatureLength = 16 << 20

  // One of them is there. They are structs, so that the compiler knows that nobody else changes
  // them, and not in an enum, so that they can be changed where they are.
  private var geoJSON: GeoJSONReader?
  private var sequence: SequenceReader?
  private var table: CSVReader?
  private var failure: FormatError?

  /// - Parameters:
  ///   - format: what the bytes are.
  ///   - idProperty: the property that holds the ids; nil for GeoJSON's `id` member or CSV's `id`
  ///     column.
  public init(format: FeatureFormat, idProperty: String? = nil) {
    switch format {
    case .geoJSON: geoJSON = GeoJSONReader(idProperty: idProperty)
    case .geoJSONSequence: sequence = SequenceReader(idProperty: idProperty)
    case .csv: table = CSVReader(idProperty: idProperty)
    }
  }

  /// Reads on. Features are added to `parsed` as soon as they are complete. After an error every
  /// further call throws the same error.
  public mutating func read(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    if let failure { throw failure }
    do throws(FormatError) {
      try geoJSON?.read(chunk, into: &parsed)
      sequence?.read(chunk, into: &parsed)
      try table?.read(chunk, into: &parsed)
    } catch {
      failure = error
      throw error
    }
  }

  /// As ``read(_:into:)-(UnsafeRawBufferPointer,_)``, of an array.
  public mutating func read(
    _ chunk: [UInt8], into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    try chunk.withUnsafeBytes { bytes in
      Result { () throws(FormatError) in try self.read(bytes, into: &parsed) }
    }.get()
  }

  /// Reads what is left and judges the whole. To be called once, after the last chunk.
  public mutating func finish(into parsed: inout ParsedFeatures) throws(FormatError) {
    if let failure { throw failure }
    try geoJSON?.finish(into: &parsed)
    sequence?.finish(into: &parsed)
    try table?.finish(into: &parsed)
  }
}
