/// Reads features from a stream of bytes, in chunks of any size: one implementation for HTTP bodies
/// and files. However the bytes are cut, the result is the same.
///
/// Memory is bounded by the longest feature (and, for GeoJSON, by the rest of the document), both
/// capped at ``maximumFeatureLength``. Until ``finish(into:)`` has returned, the features are
/// provisional: the document may still turn out to be malformed or to be no feature collection.
public struct FeatureReader {
  /// The longest feature, line, record, or GeoJSON document without its `features`, in bytes.
  public static let maximumFeatureLength = 16 << 20

  private enum Implementation {
    case geoJSON(GeoJSONReader)
    case sequence(SequenceReader)
    case csv(CSVReader)
  }

  // The implementations are classes: a copy of a reader goes on where the original is.
  private let implementation: Implementation
  private var failure: FormatError?

  /// - Parameters:
  ///   - format: what the bytes are.
  ///   - idProperty: the property that holds the ids; nil for GeoJSON's `id` member or CSV's `id`
  ///     column.
  public init(format: FeatureFormat, idProperty: String? = nil) {
    switch format {
    case .geoJSON: implementation = .geoJSON(GeoJSONReader(idProperty: idProperty))
    case .geoJSONSequence: implementation = .sequence(SequenceReader(idProperty: idProperty))
    case .csv: implementation = .csv(CSVReader(idProperty: idProperty))
    }
  }

  /// Reads on. Features are added to `parsed` as soon as they are complete. After an error every
  /// further call throws the same error.
  public mutating func read(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    if let failure { throw failure }
    do throws(FormatError) {
      switch implementation {
      case .geoJSON(let reader): try reader.read(chunk, into: &parsed)
      case .sequence(let reader): reader.read(chunk, into: &parsed)
      case .csv(let reader): try reader.read(chunk, into: &parsed)
      }
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
    switch implementation {
    case .geoJSON(let reader): try reader.finish(into: &parsed)
    case .sequence(let reader): reader.finish(into: &parsed)
    case .csv(let reader): try reader.finish(into: &parsed)
    }
  }
}
