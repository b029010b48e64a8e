/// The reason why a body as a whole cannot be read.
public enum FormatError: Error, Hashable, Sendable {
  /// The body violates its format; it is not JSON, for example. The offset counts bytes of the body.
  case malformed(detail: String, offset: Int?)
  /// The body is well-formed but holds no features: another JSON document, a table without coordinates,
  /// or one feature longer than ``FeatureReader/maximumFeatureLength``.
  case notFeatures(pointer: String, detail: String)
  /// There is no memory to read the body.
  case outOfMemory
}
