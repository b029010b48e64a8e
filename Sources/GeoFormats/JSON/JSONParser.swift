internal import CSimdJSON

/// Why a text is not JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence fragment for people, such as "a string is not closed".
  public var reason: String
  /// Where, in bytes from the start of the text, if it is known.
  public var offset: Int?

  /// Creates an error.
  public init(reason: String, offset: Int? = nil) {
    self.reason = reason
    self.offset = offset
  }

  /// The reason, with the place if it is known.
  public var description: String {
    guard let offset else { return reason }
    return "\(reason), at byte \(offset)"
  }
}

/// Parses and validates whole JSON documents; keep one a thread, its buffers are reused.
///
/// Everything is validated, also what nobody asks for: UTF-8, escapes, number grammar, nesting,
/// that nothing follows. A number must be finite as a double; its digits are kept as text. A byte
/// order mark before the document is skipped. Time and memory are linear in the document (about 32
/// bytes a value).
public final class JSONParser {
  // Owned by this object alone: made in init, freed in deinit. nil if there was no memory for it.
  private let handle: OpaquePointer?
  /// Counts parses, to catch views that outlived theirs.
  private(set) var generation = 0

  /// - Parameter maximumDepth: how many arrays and objects may be nested, 1…2000.
  public init(maximumDepth: Int = 1000) {
    let depth = min(max(maximumDepth, 1), Int(CSJ_DEPTH_LIMIT))
    handle = csj_parser_new(UInt32(depth))
  }

  deinit {
    if let handle { csj_parser_free(handle) }
  }

  /// Parses a document, which is copied. The value and all that is read from it are views that
  /// hold until this parser parses again.
  public func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    let root = try parseNodes(bytes)
    return JSONValue(owner: self, node: root)
  }

  /// As ``parse(_:)-(UnsafeRawBufferPointer)``; the result doesn't depend on the array.
  public func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(JSONError) in try self.parse(bytes) }
    }.get()
  }

  /// Parses without keeping the parser alive through the result, and records only the values down
  /// to a depth (the root is 1).
  func parseNodes(
    _ bytes: UnsafeRawBufferPointer, recordedDepth: UInt32 = .max
  ) throws(JSONError) -> TapeNode {
    generation &+= 1
    guard let handle else { throw JSONError(reason: "out of memory") }
    var error = csj_error()
    guard csj_parse(handle, bytes.baseAddress, bytes.count, recordedDepth, &error),
      let tape = csj_tape(handle)
    else {
      throw JSONError(
        reason: error.reason.map { String(cString: $0) } ?? "not JSON",
        offset: error.offset < 0 ? nil : Int(error.offset))
    }
    return TapeNode(base: tape)
  }

  /// A value's text without insignificant white space; holds until the next call. nil without
  /// memory.
  func minified(_ node: TapeNode) -> UnsafeRawBufferPointer? {
    var length = 0
    let text = node.text
    guard let handle, let source = text.baseAddress?.assumingMemoryBound(to: CChar.self),
      let copy = csj_minify(handle, source, text.count, &length)
    else { return nil }
    return UnsafeRawBufferPointer(start: copy, count: length)
  }
}
