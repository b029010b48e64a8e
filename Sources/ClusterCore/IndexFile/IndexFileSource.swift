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
