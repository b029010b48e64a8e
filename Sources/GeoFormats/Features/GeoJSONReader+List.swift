/// Places in documents that are no GeoJSON.
extension GeoJSONReader {
  /// Looks for the list of places in the document so far, and reads that from there on. Returns false if there is none.
  mutating func enterList(into parsed: inout ParsedFeatures) throws(FormatError) -> Bool {
    guard arrays == 0 else { return false }
    let bytes = skeleton.bytes
    let all = lists(in: bytes)
    guard let found = all.first else { return false }
    guard all.count == 1 else {
      let names = all.prefix(5).map { "\"\($0.prefix.dropLast())\"" }.joined(separator: ", ")
      throw .notFeatures(pointer: "", detail: "more than one list of places: \(names)")
    }
    list = found
    if !found.path.isEmpty { parsed.note("places are in \(shownList)") }
    skeleton = SkeletonScanner()
    var index = 0
    bytes.withUnsafeBytes { bytes in
      _ = skeleton.scan(UnsafeRawBufferPointer(rebasing: bytes[..<found.start]), &index)
    }
    skeleton.open(bytes[found.start])
    (state, arrays, arrayStart, offset) = (.first, 1, found.start, found.start + 1)
    try bytes.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      let rest = UnsafeBufferPointer(rebasing: bytes[(found.start + 1)...])
      try read(UnsafeRawBufferPointer(rest), into: &parsed)
    }
    return true
  }

  /// Reads a document that has ended, and is no GeoJSON: the list of places in it, or one place. Returns false if it is neither.
  mutating func readPlaces(into parsed: inout ParsedFeatures) throws(FormatError) -> Bool {
    guard arrays == 0 else { return false }
    if try enterList(into: &parsed) {
      try finish(into: &parsed)
      return true
    }
    return try Array(skeleton.bytes).withUnsafeBufferPointer {
      (bytes) throws(FormatError) -> Bool in
      let bytes = UnsafeRawBufferPointer(bytes)
      guard (try? decoder.begin(bytes, notes: &parsed)) == true else { return false }
      parsed.isSingleFeature = true
      do throws(JSONError) {
        try decoder.decode(bytes, into: &parsed, pointer: "")
      } catch {
        throw .outOfMemory
      }
      return true
    }
  }

  /// Refuses another list of places in what is left of the document.
  func checkOthers() throws(FormatError) {
    guard let other = lists(in: skeleton.bytes).first else { return }
    throw .notFeatures(
      pointer: String(other.prefix.dropLast()),
      detail: "a list of places, beside that in \(shownList)")
  }

  /// The lists of places in the beginning of a document. The bytes that are looked at don't depend on chunks.
  private func lists(in bytes: [UInt8]) -> [PlaceList] {
    bytes.withUnsafeBytes { bytes in
      PlaceList.all(in: UnsafeRawBufferPointer(rebasing: bytes.prefix(maximumLength))) {
        (first, second) in
        var (trial, parsed) = (decoder, ParsedFeatures())
        guard (try? trial.begin(first, notes: &parsed)) == true else { return false }
        guard let second else { return true }
        for value in [first, second] {
          guard (try? trial.decode(value, into: &parsed, pointer: "")) != nil else { return false }
        }
        return parsed.rejected == 0
      }
    }
  }

  var tooLarge: FormatError {
    .tooLarge(
      detail: "the feature, or what is outside of \"features\", is longer than "
        + "\(maximumLength) bytes")
  }

  /// The list, as errors call it.
  var shownList: String {
    guard let list else { return "/features" }
    return list.path.isEmpty ? "the list" : "\"\(list.prefix.dropLast())\""
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
