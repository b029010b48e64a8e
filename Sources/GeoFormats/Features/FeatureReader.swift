/// Reads features from a stream of bytes, such as an HTTP body or a file, in chunks of any size. The
/// result does not depend on the chunks.
///
/// Memory is bounded by the longest feature and, for GeoJSON, by the rest of the document, both at most
/// `maximumLength`, and by the room of the ``ParsedFeatures``. The features are provisional until ``finish(into:)`` has returned: the
/// document may still turn out to be malformed or not to be a feature collection.
///
/// Copies of a reader share a parser and must not be used alternately.
public struct FeatureReader {
  /// The usual maximum length of a feature in bytes.
  public static let usualLength = 1 << 20

  // Exactly one is set. Not an enum, so that they are changed in place.
  private var geoJSON: GeoJSONReader?
  private var sequence: SequenceReader?
  private var table: CSVReader?
  private var failure: FormatError?

  /// Creates a reader of GeoJSON, or of places in other JSON.
  ///
  /// - Parameters:
  ///   - isSequence: whether it is a sequence, rather than one document.
  ///   - idProperty: the property that holds the ids; nil for GeoJSON's `id` member.
  ///   - takesCentroids: whether GeoJSON's lines and areas are taken as their centroids.
  ///   - options: the options of places.
  ///   - maximumLength: the maximum length, in bytes, of a feature, line, or document without its `features`.
  public init(
    isSequence: Bool = false, idProperty: String? = nil, takesCentroids: Bool = false,
    options: TableOptions = TableOptions(), maximumLength: Int = usualLength
  ) {
    let decoder = FeatureDecoder(
      idProperty: idProperty, takesCentroids: takesCentroids, options: options)
    if isSequence {
      sequence = SequenceReader(decoder, maximumLength: maximumLength)
    } else {
      geoJSON = GeoJSONReader(decoder, maximumLength: maximumLength)
    }
  }

  /// Creates a reader of a table that has been looked at.
  ///
  /// - Parameter maximumLength: the maximum length of a line, and of a feature's properties as JSON, in bytes.
  public init(table plan: TablePlan, maximumLength: Int = usualLength) {
    table = CSVReader(plan: plan, maximumLength: maximumLength)
  }

  /// Whether a table isn't as its plan says, which was made from its beginning. Nothing is read any more; a plan that
  /// is made from all of it does.
  public var isContradicted: Bool { table?.isContradicted ?? false }

  /// Reads a chunk. Adds features to `parsed` as soon as they are complete. After an error, every
  /// further call throws the same error.
  ///
  /// - Throws: ``FormatError`` if the body as a whole can't be read.
  public mutating func read(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    if let failure { throw failure }
    do throws(FormatError) {
      try geoJSON?.read(chunk, into: &parsed)
      try sequence?.read(chunk, into: &parsed)
      try table?.read(chunk, into: &parsed)
    } catch {
      failure = error
      throw error
    }
  }

  /// Reads the rest and checks the document as a whole. Call it once, after the last chunk.
  ///
  /// - Throws: ``FormatError`` if the document as a whole can't be read, or an earlier chunk couldn't.
  public mutating func finish(into parsed: inout ParsedFeatures) throws(FormatError) {
    if let failure { throw failure }
    try geoJSON?.finish(into: &parsed)
    try sequence?.finish(into: &parsed)
    try table?.finish(into: &parsed)
  }
}
