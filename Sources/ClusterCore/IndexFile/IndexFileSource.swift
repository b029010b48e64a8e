/// The contents of an index file, which are read on several threads at a time.
public protocol IndexFileSource: AnyObject, Sendable {
  /// The sections: first those of records, then those of the order.
  var sections: [IndexFileSection] { get }

  /// Reads a section and returns whether it is as it was written.
  ///
  /// - Parameter target: memory as large as the section.
  func read(_ section: Int, into target: UnsafeMutableRawBufferPointer) -> Bool

  /// The address of a section in memory, a multiple of 8, valid while this object lives. It holds the bytes
  /// that ``read(_:into:)`` gives; records are used in place.
  func address(of section: Int) -> UnsafeRawPointer
}
