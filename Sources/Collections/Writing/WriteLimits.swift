import GeoFormats

/// Bounds of what clients may store, and of the memory that their writes take until they are stored.
package struct WriteLimits: Sendable {
  /// The largest feature, in bytes: its text as it is sent, and its properties as JSON.
  package var featureBytes = FeatureReader.usualLength
  /// The largest body, in bytes.
  package var bodyBytes = 64 << 20
  /// The number of collections at which no more are created.
  package var collections = 1000

  /// The usual limits.
  package init() {}

  /// The most memory that the features of one body may take.
  package var decodedBytes: Int { max(256 << 20, 4 * bodyBytes) }
  /// The most memory that all writes of one client that wait may take: the features of a body beside its unpacked text.
  package var clientBytes: Int { decodedBytes + bodyBytes }
  /// The most memory that all writes that wait may take.
  var waitingBytes: Int { 2 * decodedBytes }
}
