/// Places in documents that are no GeoJSON.
extension GeoJSONReader {
  /// Looks for the list of places in the document so far, and reads that from there on. Returns false if there is none.
  mutating func enterList(into parsed: inout ParsedFeatures) throws(FormatError) -> Bool {
    guard arrays == 0 else { return false }
    return try enter(lists(in: skeleton.bytes), into: &parsed)
  }

  private mutating func enter(
    _ finding: PlaceList.Finding, into parsed: inout ParsedFeatures
  ) throws(FormatError) -> Bool {
    let bytes = skeleton.bytes
    let all = finding.lists
    let layer = decoder.options.layer
    let meant = layer.map { layer in all.filter { $0.isNamed(layer) } } ?? all
    guard let found = meant.first, meant.count == 1 else {
      guard !all.isEmpty || layer != nil && finding.empty == nil else { return false }
      let names = TableText.listed(all, atMost: 5, GeoJSONReader.shown)
      throw .notFeatures(
        pointer: "",
        detail: layer.map { "no list of places is \(TableText.quoted(Array($0.utf8)))" }
          ?? "more than one list of places, of which layer names the one that is meant: \(names)")
    }
    list = found
    decoder.areElements = found.path.last?.elementsEqual("elements".utf8) == true
    if !found.path.isEmpty { parsed.note("places are in \(shownList)") }
    skeleton = SkeletonScanner()
    var index = 0
    bytes.withUnsafeBytes { bytes in
      _ = skeleton.scan(UnsafeRawBufferPointer(rebasing: bytes[..<found.start]), &index)
    }
    skeleton.take(bytes[found.start])
    (state, arrays, arrayStart, offset) = (.first, 1, found.start, found.start + 1)
    try bytes.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      let rest = UnsafeBufferPointer(rebasing: bytes[(found.start + 1)...])
      try read(UnsafeRawBufferPointer(rest), into: &parsed)
    }
    return true
  }

  /// Reads a document that has ended, and is no GeoJSON: the list of places in it, one place, or an empty list. Returns false
  /// if it is none of these.
  mutating func readPlaces(into parsed: inout ParsedFeatures) throws(FormatError) -> Bool {
    guard arrays == 0 else { return false }
    let finding = lists(in: skeleton.bytes)
    if try enter(finding, into: &parsed) {
      try finish(into: &parsed)
      return true
    }
    let bytes = skeleton.bytes
    return try bytes.withUnsafeBufferPointer { (bytes) throws(FormatError) -> Bool in
      let text = UnsafeRawBufferPointer(bytes)
      var search = decoder.search
      do throws(CoordinateColumns.Fault) { _ = try decoder.kind(of: text, &search) } catch {
        if error.isAmbiguous { throw .notFeatures(pointer: "", detail: error.detail) }
        guard let empty = finding.empty, !finding.hasOthers else { return false }
        parsed.note("the list \(GeoJSONReader.shown(empty)) is empty")
        return true
      }
      parsed.isSingleFeature = true
      _ = try decoder.decode(text, isOfList: true, into: &parsed, pointer: "")
      return true
    }
  }

  /// Checks a document whose list has been read.
  mutating func finish(
    _ list: PlaceList, _ root: TapeNode, into parsed: inout ParsedFeatures
  ) throws(FormatError) {
    // A list by itself that is empty may as well be anything else.
    guard decoder.hasPlaces else {
      let first = parsed.problems.first.map { ": \($0.pointer): \($0.detail)" } ?? ""
      (parsed.problems, parsed.rejected) = ([], 0)
      throw .notFeatures(pointer: "", detail: GeoJSONReader.expected + first)
    }
    guard root.kind == .object else { return }
    let type = root.member("type")
    let isGeoJSON = (["Feature", "FeatureCollection"] as [StaticString]).contains {
      type?.isString($0) == true
    }
    var search = decoder.search
    guard !isGeoJSON, GeometryType(type) == nil,
      (try? search.find(in: root, isTold: false))?.isOwn != true
    else {
      throw tooLarge
    }
    let holder = list.path.dropLast().reduce(root as TapeNode?) { $0?.member($1) }
    if decoder.hasFeatures, let holder {
      try checkSystem(of: holder, at: Array(list.path.dropLast()), into: &parsed)
    }
    try checkOthers()
  }

  /// Refuses another list of places in what is left of the document, unless one is named.
  private func checkOthers() throws(FormatError) {
    guard decoder.options.layer == nil, let other = lists(in: skeleton.bytes).lists.first else {
      return
    }
    throw .notFeatures(
      pointer: String(other.prefix.dropLast()),
      detail: "a list of places, beside that in \(shownList); layer names the one that is meant")
  }

  /// The lists of places in the beginning of a document. The bytes that are looked at don't depend on chunks.
  private func lists(in bytes: [UInt8]) -> PlaceList.Finding {
    var search = decoder.search
    return bytes.withUnsafeBytes { bytes in
      PlaceList.find(in: UnsafeRawBufferPointer(rebasing: bytes.prefix(maximumLength))) {
        (try? decoder.kind(of: $0, &search)) ?? nil
      }
    }
  }

  var tooLarge: FormatError {
    .tooLarge(
      detail: "the feature, or what is outside of \"features\", is longer than "
        + "\(maximumLength) bytes")
  }

  /// The error of a long document that begins without Features and places.
  var unknown: FormatError {
    .tooLarge(
      detail:
        "neither \"features\" nor a list of places begins within \(maximumLength) bytes, and a "
        + "single feature is no longer than that")
  }

  /// The list, as errors call it.
  var shownList: String {
    list.map(GeoJSONReader.shown) ?? "/features"
  }

  private static func shown(_ list: PlaceList) -> String {
    list.path.isEmpty ? "the list" : "\"\(list.prefix.dropLast())\""
  }

  /// A pointer to the current element.
  var pointer: String { GeoJSONReader.pointer(list, key, count - 1) }

  static func pointer(_ list: PlaceList?, _ key: [UInt8]?, _ number: Int) -> String {
    guard let list else { return "/features/\(number)" }
    return list.prefix + (key.map(PlaceList.shown) ?? "\(number)")
  }

  /// The name of the current element, if it has one.
  var key: [UInt8]? {
    list?.isObject == true ? name.withUnsafeBytes { JSONScanner.unescape($0) } : nil
  }
}
