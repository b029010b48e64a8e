internal import Threading

/// The reason why a body as a whole cannot be read.
public enum FormatError: Error, Hashable, Sendable {
  /// The body violates its format; it is not JSON, for example. The offset counts bytes of the body.
  case malformed(detail: String, offset: Int?)
  /// The body is well-formed but holds no features: another JSON document, or a table without coordinates.
  case notFeatures(pointer: String, detail: String)
  /// The body's only feature, or the rest of a collection, is larger than a feature may be; or its features
  /// take more memory than one body may.
  case tooLarge(detail: String)
  /// Others have the memory now that the features need.
  case noRoom
  /// There is no memory to read the body.
  case outOfMemory
  /// The thread's work must stop before the end of the body; see `Cancellation`. Outside of such work it never comes.
  case cancelled

  /// Notes that a record or a part of it was read, of so many bytes, and throws if the thread's work must stop.
  @inline(__always)
  static func poll(bytes: Int) throws(FormatError) {
    if Cancellation.poll(100 &+ 4 &* bytes) { throw .cancelled }
  }
}
