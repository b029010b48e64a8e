import Texts

/// Entity tags (RFC 9110 section 8.8.3) and the conditions on them.
public enum EntityTag {
  /// The suffix of the tag of a gzip representation.
  static let gzipSuffix = "-gz"

  /// The tag of a body: its ``ContentHash`` as text. Linear.
  public static func hash(of body: [UInt8]) -> String { ContentHash.text(of: body) }

  /// A hash of everything in a request that an answer can depend on: the target, the body and the
  /// negotiated type. It is the same in every process.
  public static func hash(of request: HTTPRequest, as type: String) -> UInt64 {
    var state = hash(request.path, hash(type, 0))
    if let query = request.query { state = hash(query, state) }
    // `/a` and `/a?` mean the same but are two targets.
    if request.query == nil { state = ~state }
    return request.body.count == 0
      ? state : request.body.withUnsafeBytes { ContentHash.hash($0, state) }
  }

  /// The tag of an answer from one version of a store's data: `store.version.hash`.
  public static func text(of store: String, version: Int64, _ hash: UInt64) -> String {
    // A version has at most 20 characters.
    String(unsafeUninitializedCapacity: store.utf8.count + 33) { buffer in
      var end = buffer.update(fromContentsOf: store.utf8)
      buffer[end] = UInt8(ascii: ".")
      end += 1
      end = buffer[end...].update(fromContentsOf: String(version).utf8)
      buffer[end] = UInt8(ascii: ".")
      end += 1
      return end + ContentHash.write(hash, to: buffer[end...])
    }
  }

  private static func hash(_ text: String, _ seed: UInt64) -> UInt64 {
    text.withBytes { ContentHash.hash(UnsafeRawBufferPointer($0), seed) }
  }

  /// The representation that an If-None-Match field names.
  enum Match { case none, plain, gzip }

  /// The representation that the field If-None-Match names, by weak comparison. `*` names the one that would be sent.
  static func match(_ headers: HTTPHeaders, base: String, prefersGzip: Bool) -> Match {
    headers.withBytes(of: "If-None-Match") { field in
      if isAny(field) { return prefersGzip ? .gzip : .plain }
      var found = Match.none
      forEach(in: field) { tag in
        // If both match, the one that would be sent counts.
        switch match(tag, of: base) {
        case .gzip where found == .none || prefersGzip: found = .gzip
        case .plain where found == .none || !prefersGzip: found = .plain
        default: break
        }
      }
      return found
    } ?? .none
  }

  /// The representation that a tag names, of a resource with a base tag.
  static func match(_ tag: UnsafeBufferPointer<UInt8>, of base: String) -> Match {
    base.withBytes { base in
      guard tag.count >= base.count, tag.prefix(base.count).elementsEqual(base) else {
        return .none
      }
      let rest = tag.dropFirst(base.count)
      return rest.isEmpty ? .plain : rest.elementsEqual(gzipSuffix.utf8) ? .gzip : .none
    }
  }

  /// Whether a field is a lone `*`.
  static func isAny(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
    let first = field.firstIndex { !$0.isBlank }
    return first == field.lastIndex { !$0.isBlank }
      && first.map { field[$0] == UInt8(ascii: "*") } ?? false
  }

  /// Calls `body` with the opaque tags of a list, without `W/` and quotes, up to where the list is malformed, and at most
  /// ``HTTPHeaders/mostMembers``. Linear.
  ///
  /// - Parameter weak: whether weak tags are included.
  static func forEach(
    in field: UnsafeBufferPointer<UInt8>, weak: Bool = true,
    _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var rest = field[...]
    for _ in 0..<HTTPHeaders.mostMembers {
      rest = rest.drop { $0 == UInt8(ascii: ",") || $0.isBlank }
      let isWeak = rest.starts(with: "W/".utf8)
      if isWeak { rest = rest.dropFirst(2) }
      guard rest.popFirst() == UInt8(ascii: "\""),
        let end = rest.firstIndex(of: UInt8(ascii: "\""))
      else { return }
      let (tag, behind) = (rest[..<end], rest[end...].dropFirst().drop { $0.isBlank })
      guard behind.isEmpty || behind.first == UInt8(ascii: ",") else { return }
      if weak || !isWeak { body(UnsafeBufferPointer(rebasing: tag)) }
      rest = behind
    }
  }

  /// The states of a resource that a condition of a write names (RFC 9110, section 13.1); nil without such a field. Linear.
  ///
  /// - Parameters:
  ///   - name: the name of the field.
  ///   - weak: whether weak tags are included.
  /// - Returns: whether any state will do, in which the resource exists, or their entity tags, without quotes. The tag of a
  ///   gzip response names the same state as the one that it was made of, so both are there.
  public static func states(
    named name: String, in headers: HTTPHeaders, weak: Bool
  ) -> (isAny: Bool, tags: [[UInt8]])? {
    headers.withBytes(of: name) { field in
      if isAny(field) { return (true, []) }
      var tags: [[UInt8]] = []
      forEach(in: field, weak: weak) { tag in
        tags.append(Array(tag))
        if tag.suffix(gzipSuffix.utf8.count).elementsEqual(gzipSuffix.utf8) {
          tags.append(Array(tag.dropLast(gzipSuffix.utf8.count)))
        }
      }
      return (false, tags)
    }
  }
}
