import ClusterCore

/// A change of a store by other instances.
public enum StoreChange {
  /// A collection is at another version, to which changes lead, that were made in some steps, the earliest first.
  case changed(CollectionInfo, [FeatureChange], [Step])
  /// All changes of a collection up to a time, in microseconds since 1970 (UTC), are known, and nobody can add any more;
  /// `second` is the full second before.
  case settled(id: String, second: Int64, time: Int64)
  /// A collection is new, or too much has changed since: it is to be loaded.
  case unknown(CollectionInfo)
  /// A collection isn't there any more.
  case dropped(id: String)

  /// The collection's id.
  var id: String {
    switch self {
    case .changed(let info, _, _), .unknown(let info): info.id
    case .settled(let id, _, _), .dropped(let id): id
    }
  }

  /// The pace of ``settled(id:second:time:)``, in microseconds.
  public static let second: Int64 = 1_000_000

  /// Features of which the last change was made at a time.
  public struct Step: Sendable {
    /// Microseconds since 1970 (UTC).
    public let time: Int64
    /// When the first of their changes was made. If it was before the last one, some had states in between, of which nothing
    /// is known.
    public let first: Int64
    /// Their ids.
    public let features: [FeatureID]
  }
}
