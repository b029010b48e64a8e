/// A part of an index file that is read and checked as a whole.
public struct IndexFileSection: Sendable, Equatable {
  /// The kinds of sections.
  public enum Kind: UInt32, Sendable {
    /// Records as they lie in a chunk of a ``RecordArena``, in index order.
    case records = 1
    /// By rank in the order of ids: the offset of the feature in index order, in 32 bits.
    case order = 2
  }

  /// A function that takes the sections of an index in order.
  public typealias Sink = (IndexFileSection, UnsafeRawBufferPointer) throws -> Void

  /// The kind of the contents.
  public var kind: Kind
  /// The size in bytes.
  public var byteCount: Int
  /// The number of features that it describes.
  public var featureCount: Int

  /// Creates a description of a section.
  public init(kind: Kind, byteCount: Int, featureCount: Int) {
    self.kind = kind
    self.byteCount = byteCount
    self.featureCount = featureCount
  }
}
