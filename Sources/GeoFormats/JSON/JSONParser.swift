internal import CSimdJSON

/// A parser of whole JSON documents. It reuses its buffers; use it on one thread at a time.
///
/// Everything is validated, including values that nobody reads: UTF-8, escapes, numbers, nesting, and
/// that nothing follows the document. Numbers must be finite as doubles; their digits are kept as text.
/// A byte order mark is skipped. Time and memory are linear in the document (about 32 bytes a value).
public final class JSONParser {
  // Owned by this object alone. Nil if there was no memory for it.
  private let handle: OpaquePointer?
  /// The number of parses, to catch values that outlive theirs.
  private(set) var generation = 0

  /// Creates a parser.
  ///
  /// - Parameter maximumDepth: the maximum nesting of arrays and objects, 1…2000.
  public init(maximumDepth: Int = 1000) {
    let depth = min(max(maximumDepth, 1), Int(CSJ_DEPTH_LIMIT))
    handle = csj_parser_new(UInt32(depth))
  }

  deinit {
    if let handle { csj_parser_free(handle) }
  }

  /// Parses a document, which is copied. The result and everything read from it is valid until this
  /// parser parses again.
  ///
  /// - Throws: ``JSONError`` if the bytes aren't JSON, are nested too deeply, or memory is short.
  public func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    let root = try parseNodes(bytes)
    return JSONValue(owner: self, node: root)
  }

  /// Parses a document as ``parse(_:)-(UnsafeRawBufferPointer)`` does. The result does not depend on the
  /// array.
  ///
  /// - Throws: ``JSONError`` as ``parse(_:)-(UnsafeRawBufferPointer)`` does.
  public func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
      try parse(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Parses a document and records only the values down to a depth (the root is 1). The result does not
  /// keep the parser alive.
  func parseNodes(
    _ bytes: UnsafeRawBufferPointer, recordedDepth: UInt32 = .max
  ) throws(JSONError) -> TapeNode {
    generation &+= 1
    guard let handle else { throw .outOfMemory }
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

  /// The text of a value without insignificant white space, valid until the next call. Nil without
  /// memory for it.
  func minified(_ node: TapeNode) -> UnsafeRawBufferPointer? {
    var length = 0
    let text = node.text
    guard let handle, let source = text.baseAddress?.assumingMemoryBound(to: CChar.self),
      let copy = csj_minify(handle, source, text.count, &length)
    else { return nil }
    return UnsafeRawBufferPointer(start: copy, count: length)
  }
}
