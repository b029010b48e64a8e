/// Reads one GeoJSON Feature or FeatureCollection, or a list of Features or places, as a stream.
///
/// The elements of the root's `features` array, or of the root that is an array, are delimited by their brackets and quotes alone, and
/// each is parsed on its own. The rest of the document, with `[]` in place of the array, is the
/// *skeleton*, which is parsed at the end. So the JSON parser validates every byte except for the commas
/// and brackets of the array itself, which this type checks, and for elements that are too long, which it
/// rejects unread.
///
/// Where an object follows one on the line before, each line is read by itself.
///
/// Another document is skeleton until it ends or becomes longer than a feature may be. Then its list is looked for, and read in the
/// same way.
struct GeoJSONReader {
  enum State {
    /// Within the skeleton.
    case skeleton
    /// After the array's `[`: an element or `]`. Of an object: a name or `}`.
    case first
    /// After a comma: an element, or a name.
    case next
    /// Within a name.
    case name
    /// After a name: its colon.
    case colon
    /// After a colon: an element.
    case value
    /// Within an element.
    case element
    /// After an element: a comma or the closing bracket.
    case after
  }

  /// The most bytes that are scanned between two looks whether to stop.
  private static let stride = 64 << 10

  var decoder: FeatureDecoder
  var state = State.skeleton
  var skeleton = SkeletonScanner()
  private var element = ElementScanner()
  /// The beginning of an element that ends in a later chunk.
  private var pending: RecordBuffer
  let maximumLength: Int
  var count = 0
  private var elementStart = 0
  var offset = 0
  /// The offset of the first `features` array in the document, and the bytes that the skeleton lacks of it.
  var arrayStart = 0
  private var removed = 0
  var arrays = 0
  /// The list, if the document is no FeatureCollection.
  var list: PlaceList?
  /// The current name in a list that is an object, as it is written.
  var name: [UInt8] = []
  /// Reads what turned out to be a sequence.
  private var sequence: SequenceReader?

  init(_ decoder: FeatureDecoder, maximumLength: Int) {
    self.decoder = decoder
    self.maximumLength = maximumLength
    pending = RecordBuffer(limit: maximumLength)
  }

  mutating func read(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    guard sequence == nil else {
      try sequence?.read(chunk, into: &parsed)
      return
    }
    var index = 0
    // The start of the current element's part in this chunk.
    var start = 0
    var polled = 0
    while index < chunk.count {
      try FormatError.poll(bytes: index - polled)
      polled = index
      switch state {
      case .skeleton:
        let near = GeoJSONReader.near(index, in: chunk)
        let entered = skeleton.scan(near, &index)
        if skeleton.bytes.count > maximumLength {
          guard try enterList(into: &parsed) else { throw arrays == 0 ? unknown : tooLarge }
          return try read(UnsafeRawBufferPointer(rebasing: chunk[index...]), into: &parsed)
        }
        guard entered else { break }
        if skeleton.isSequence {
          return try enterSequence(UnsafeRawBufferPointer(rebasing: chunk[index...]), into: &parsed)
        }
        guard list == nil else {
          throw .notFeatures(pointer: "/features", detail: "beside the places in \(shownList)")
        }
        if skeleton.isList { list = .root }
        state = .first
        arrays += 1
        if arrays == 1 { arrayStart = offset + index - 1 }
      case .name:
        let first = index
        index = element.scan(GeoJSONReader.near(index, in: chunk), from: index)
        name.append(contentsOf: chunk[first..<index])
        guard name.count <= maximumLength else { throw tooLarge }
        if element.isComplete { state = .colon }
      case .element:
        index = element.scan(GeoJSONReader.near(index, in: chunk), from: index)
        guard element.isComplete else { break }
        try finishElement(UnsafeRawBufferPointer(rebasing: chunk[start..<index]), into: &parsed)
        state = .after
      case .first, .next, .colon, .value, .after:
        let byte = chunk[index]
        if JSONText.isSpace(byte) {
          index += 1
          continue
        }
        if try step(byte, at: offset + index) {
          start = index
          elementStart = offset + index
          element.begin(byte)
        }
        index += 1
      }
    }
    if state == .element { pending.keep(UnsafeRawBufferPointer(rebasing: chunk[start...])) }
    offset += chunk.count
  }

  /// Reads the document so far as a line, and a chunk that follows it.
  private mutating func enterSequence(
    _ chunk: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    var reader = SequenceReader(decoder, maximumLength: maximumLength)
    try skeleton.bytes.withUnsafeBufferPointer { (line) throws(FormatError) in
      try reader.read(UnsafeRawBufferPointer(line), into: &parsed)
    }
    sequence = reader
    parsed.note("each line is read by itself")
    try read(chunk, into: &parsed)
  }

  /// A chunk up to some bytes after an index.
  private static func near(
    _ index: Int, in chunk: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: chunk.prefix(index + stride))
  }

  /// Handles a significant byte between elements. Returns whether an element begins with it.
  private mutating func step(_ byte: UInt8, at offset: Int) throws(FormatError) -> Bool {
    let isObject = list?.isObject ?? false
    switch (state, byte) {
    case (.first, UInt8(ascii: "]")) where !isObject, (.after, UInt8(ascii: "]")) where !isObject,
      (.first, UInt8(ascii: "}")) where isObject, (.after, UInt8(ascii: "}")) where isObject:
      state = .skeleton
      if arrays == 1 { removed = offset - arrayStart - 1 }
      skeleton.take(byte)
      return false
    case (.after, UInt8(ascii: ",")):
      state = .next
      return false
    case (.colon, UInt8(ascii: ":")):
      state = .value
      return false
    case (.first, UInt8(ascii: "\"")) where isObject, (.next, UInt8(ascii: "\"")) where isObject:
      state = .name
      name = [byte]
      element.begin(byte)
      return false
    case (.first, _) where !isObject, (.next, _) where !isObject, (.value, _):
      guard ElementScanner.canBegin(byte) else { break }
      state = .element
      count += 1
      return true
    default: break
    }
    throw .malformed(
      detail: "\(shownList): a value, comma or bracket is missing or misplaced", offset: offset)
  }

  private mutating func finishElement(
    _ part: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    if pending.isWhole(part) { return try decode(part, into: &parsed) }
    try pending.complete(part).withRecord { (element) throws(FormatError) in
      guard element.isTooLong else { return try decode(element.bytes, into: &parsed) }
      parsed.reject(pointer: pointer, detail: "longer than \(maximumLength) bytes")
    }
  }

  private mutating func decode(
    _ text: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    let (list, key, number) = (list, key, count - 1)
    let error = try decoder.decode(
      text, key: key, isOfList: list != nil, into: &parsed,
      pointer: GeoJSONReader.pointer(list, key, number))
    guard let error else { return }
    guard let fault = JSONFault(in: text, isTold: parsed.keepsReasons) else {
      throw .malformed(
        detail: "\(pointer): \(error.reason)", offset: elementStart + (error.offset ?? 0))
    }
    parsed.reject(pointer: pointer, detail: fault.text(error))
  }

  /// Validates the skeleton and checks that the document is a Feature or a FeatureCollection.
  mutating func finish(into parsed: inout ParsedFeatures) throws(FormatError) {
    guard sequence == nil else {
      try sequence?.finish(into: &parsed)
      return
    }
    guard state == .skeleton else {
      throw .malformed(
        detail: "the document ends within its features, after \(pointer)",
        offset: offset)
    }
    let root: TapeNode
    do throws(JSONError) {
      root = try skeleton.bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
        try decoder.parser.parseNodes(
          UnsafeRawBufferPointer(bytes),
          recordedDepth: list == nil
            ? FeatureDecoder.recordedDepth : UInt32(PlaceList.deepest) + 2)
      }
    } catch {
      if error == .outOfMemory { throw .outOfMemory }
      let offset = error.offset.map { arrays > 0 && $0 > arrayStart ? $0 + removed : $0 }
      throw .malformed(detail: error.reason, offset: arrays > 1 ? nil : offset)
    }
    if let list { return try finish(list, root, into: &parsed) }
    let type = root.member("type")
    if type?.isString("FeatureCollection") == true {
      guard arrays <= 1 else {
        throw .notFeatures(pointer: "/features", detail: "appears more than once")
      }
      guard let features = root.member("features"), features.kind == .array, arrays == 1 else {
        throw .notFeatures(pointer: "/features", detail: "missing, or not an array")
      }
      try checkSystem(of: root, into: &parsed)
    } else if type?.isString("Feature") == true {
      parsed.isSingleFeature = true
      // RFC 7946, section 7.1: a Feature must not have a member of that name.
      guard arrays == 0 else {
        throw .notFeatures(pointer: "/features", detail: "a Feature must not have \"features\"")
      }
      do throws(JSONError) {
        try decoder.append(root, into: &parsed, pointer: "")
      } catch {
        throw .outOfMemory
      }
    } else {
      let other = GeoJSONReader.otherDocument(root)
      guard other.isPlain, try readPlaces(into: &parsed) else { throw other.error }
    }
  }

  /// Refuses a document that says that its coordinates are not longitudes and latitudes in degrees.
  mutating func checkSystem(
    of collection: TapeNode, at path: [[UInt8]] = [], into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    for name in ["crs", "coordRefSys"] as [StaticString] {
      guard let member = collection.member(name) else { continue }
      do throws(FeatureRefusal) {
        try decoder.points.systems.check(member, into: &parsed)
      } catch {
        if error.isOutOfMemory { throw .outOfMemory }
        let place = PlaceList(path: path, start: 0, isObject: true).prefix
        throw .notFeatures(pointer: "\(place)\(name)", detail: error.detail)
      }
    }
  }

  static let expected =
    "neither a GeoJSON Feature or FeatureCollection nor places with coordinates; lon and lat, or "
    + "geometry, name their members"

  /// The error of a document that is neither a Feature nor a FeatureCollection: what it is instead. A plain one may hold places.
  private static func otherDocument(_ root: TapeNode) -> (error: FormatError, isPlain: Bool) {
    let type = root.member("type")
    let kind =
      if let geometry = GeometryType(type) {
        "a \(geometry.rawValue) without a Feature around it"
      } else if type?.isString("Topology") == true {
        "TopoJSON, not GeoJSON; pincluster import --format gdal reads it, and ogr2ogr -f GeoJSON converts it"
      } else if root.member("geometryType") != nil || root.member("spatialReference") != nil {
        "Esri's JSON, not GeoJSON; pincluster import --format gdal reads it, and ogr2ogr -f GeoJSON converts it"
      } else { nil as String? }
    guard let kind else {
      let isObject = root.kind == .object
      return (.notFeatures(pointer: isObject ? "/type" : "", detail: expected), isObject)
    }
    return (.notFeatures(pointer: "/type", detail: kind), false)
  }
}
