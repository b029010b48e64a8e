/// A piece of an index as it is stored: what is read and checked as one.
public struct IndexFileSection: Sendable, Equatable {
  /// What a section holds.
  public enum Kind: UInt32, Sendable {
    /// Records as they lie in a chunk of a ``RecordArena``, in index order.
    case records = 1
    /// By rank in the order of ids: which feature it is in index order, in 32 bits each.
    case order = 2
  }

  /// What it holds.
  public var kind: Kind
  /// Its size in bytes.
  public var byteCount: Int
  /// How many features it tells of.
  public var featureCount: Int

  /// Describes a section.
  public init(kind: Kind, byteCount: Int, featureCount: Int) {
    self.kind = kind
    self.byteCount = byteCount
    self.featureCount = featureCount
  }
}
