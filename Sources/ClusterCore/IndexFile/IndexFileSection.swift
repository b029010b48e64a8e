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

/// The contents of an index file, which are read on several threads at a time.
public protocol IndexFileSource: AnyObject, Sendable {
  /// The sections: first those of records, then those of the order.
  var sections: [IndexFileSection] { get }

  /// Whether a section can be read and is as it was written. Must be asked before its bytes are used.
  func isIntact(_ section: Int) -> Bool

  /// The address of a section in memory, a multiple of 8, valid while this object lives. Records are used in place.
  func address(of section: Int) -> UnsafeRawPointer
}
