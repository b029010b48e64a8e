import GeoFormats

/// Bounds of what clients may store, and of the memory that their writes take until they are stored.
public struct WriteLimits: Sendable {
  /// The largest feature, in bytes: its text as it is sent, and its properties as JSON.
  public var featureBytes = FeatureReader.usualLength
  /// The largest body, in bytes.
  public var bodyBytes = 64 << 20
  /// The number of collections at which no more are created.
  public var collections = 1000

  /// The usual limits.
  public init() {}

  /// The most memory that the features of one body may take, and all writes of one client that wait.
  var decodedBytes: Int { max(256 << 20, 4 * bodyBytes) }
  /// The most memory that all writes that wait may take.
  var waitingBytes: Int { 2 * decodedBytes }
}
