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
  private var table: TableReader?
  private var failure: FormatError?
  /// The byte order mark that a sequence may begin with. JSON's parser and tables skip their own.
  private var mark = ByteOrderMark()

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - format: the format of the bytes.
  ///   - idProperty: the property that holds the ids; nil for GeoJSON's `id` member or CSV's `id`
  ///     column.
  ///   - takesCentroids: whether GeoJSON's lines and areas are taken as their centroids.
  ///   - options: the options of a table, also of one in JSON. Another is looked at for 64 MiB before the first feature is read; see
  ///     ``init(table:maximumLength:)`` for one that can be read twice.
  ///   - maximumLength: the maximum length, in bytes, of a feature, line, record, or GeoJSON document without
  ///     its `features`, and of a feature's properties as JSON.
  public init(
    format: FeatureFormat, idProperty: String? = nil, takesCentroids: Bool = false,
    options: TableOptions = TableOptions(),
    maximumLength: Int = usualLength
  ) {
    let decoder = FeatureDecoder(
      idProperty: idProperty, takesCentroids: takesCentroids, options: options)
    switch format {
    case .geoJSON:
      geoJSON = GeoJSONReader(decoder, maximumLength: maximumLength)
    case .geoJSONSequence:
      sequence = SequenceReader(decoder, maximumLength: maximumLength)
    case .csv:
      table = TableReader(
        plan: nil, options: options, idProperty: idProperty, maximumLength: maximumLength)
    }
  }

  /// Creates a reader of a table that has been looked at.
  public init(table plan: TablePlan, maximumLength: Int = usualLength) {
    table = TableReader(
      plan: plan, options: TableOptions(), idProperty: nil, maximumLength: maximumLength)
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
      try table?.read(chunk, into: &parsed)
      guard sequence != nil else { return }
      let (consumed, other) = mark.pass(chunk)
      try readText(other, into: &parsed)
      let rest = UnsafeRawBufferPointer(rebasing: chunk[consumed...])
      try sequence?.read(rest, into: &parsed)
    } catch {
      failure = error
      throw error
    }
  }

  /// Reads what looked like the beginning of a byte order mark.
  private mutating func readText(
    _ bytes: ArraySlice<UInt8>, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    guard !bytes.isEmpty else { return }
    try bytes.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      try sequence?.read(UnsafeRawBufferPointer(bytes), into: &parsed)
    }
  }

  /// Reads the rest and checks the document as a whole. Call it once, after the last chunk.
  ///
  /// - Throws: ``FormatError`` if the document as a whole can't be read, or an earlier chunk couldn't.
  public mutating func finish(into parsed: inout ParsedFeatures) throws(FormatError) {
    if let failure { throw failure }
    try geoJSON?.finish(into: &parsed)
    try readText(mark.finish(), into: &parsed)
    try sequence?.finish(into: &parsed)
    try table?.finish(into: &parsed)
  }
}
