/// JSON Merge Patch (RFC 7396): the members of a patch replace those of a document, null removes them, and
/// objects are merged recursively.
public enum MergePatch {
  /// Returns the document with the patch applied, as compact JSON: the members of the document in their
  /// order, then the new ones. Of several members with one name the last counts.
  ///
  /// - Throws: ``JSONError`` if the patch is not JSON or is nested too deeply.
  public static func apply(
    _ patch: UnsafeRawBufferPointer, to document: [UInt8]
  ) throws(JSONError) -> [UInt8] {
    let (patchParser, documentParser) = (JSONParser(), JSONParser())
    let patchValue = try patchParser.parse(patch)
    let documentValue = try documentParser.parse(document)
    var json = JSONWriter(reserving: document.count + patch.count)
    write(documentValue, patchedBy: patchValue, into: &json)
    return json.bytes
  }

  private static func write(
    _ target: JSONValue?, patchedBy patch: JSONValue, into json: inout JSONWriter
  ) {
    guard patch.kind == .object else {
      json.raw(patch.text)
      return
    }
    json.beginObject()
    var patches = Members(of: patch)
    for (key, value) in Members(of: target).inOrder {
      let change = patches.take(key)
      guard change?.kind != .null else { continue }
      key.withUnsafeBytes { json.keyUTF8($0) }
      if let change { write(value, patchedBy: change, into: &json) } else { json.raw(value.text) }
    }
    for (key, value) in patches.inOrder where value.kind != .null {
      key.withUnsafeBytes { json.keyUTF8($0) }
      // Removes nulls within the value, too.
      write(nil, patchedBy: value, into: &json)
    }
    json.endObject()
  }

  /// The members of an object by name, without duplicates.
  private struct Members {
    private var keys: [[UInt8]] = []
    private var values: [[UInt8]: JSONValue] = [:]

    /// Creates the members of an object, or none of another value.
    init(of object: JSONValue?) {
      guard let object else { return }
      for (name, value) in object.members {
        let key = Array(name)
        if values.updateValue(value, forKey: key) == nil { keys.append(key) }
      }
    }

    mutating func take(_ key: [UInt8]) -> JSONValue? { values.removeValue(forKey: key) }

    var inOrder: [(key: [UInt8], value: JSONValue)] {
      keys.compactMap { key in values[key].map { (key, $0) } }
    }
  }
}
