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

/// Where a stored index is read from; asked on several threads at a time.
public protocol IndexFileSource: AnyObject, Sendable {
  /// Its sections: those of records, then those of the order.
  var sections: [IndexFileSection] { get }

  /// Reads a section and checks it; whether it is what was written.
  ///
  /// - Parameter target: as large as the section.
  func read(_ section: Int, into target: UnsafeMutableRawBufferPointer) -> Bool

  /// Where a section lies in memory for as long as this object lives, at a multiple of 8: the bytes that
  /// ``read(_:into:)`` gives. The records are used where they are.
  func address(of section: Int) -> UnsafeRawPointer
}

/// Takes the sections of an index, in order.
public typealias IndexFileSink = (IndexFileSection, UnsafeRawBufferPointer) throws -> Void
