import HTTPServer

/// A write on its way to the writer: read, checked, and only to be carried out.
struct Write: Sendable {
  /// The longest body of a write that is read on an event loop and shares a transaction with others:
  /// what takes about a millisecond.
  static let smallBody = 256 << 10

  /// What it keeps in memory until it is done, in bytes.
  var bytes: Int
  /// Whether it may share a transaction with others.
  var isSmall: Bool
  /// Carries it out and makes the answer, which is sent when the transaction is on disk. It makes one
  /// change at most, and may run again if the transaction has to be begun anew.
  var perform: @Sendable (WriteGroup) throws -> HTTPResponse

  /// A write.
  init(
    bytes: Int, isSmall: Bool, perform: @escaping @Sendable (WriteGroup) throws -> HTTPResponse
  ) {
    self.bytes = bytes
    self.isSmall = isSmall
    self.perform = perform
  }

  /// A write that has a transaction to itself and keeps next to nothing.
  static func alone(
    _ perform: @escaping @Sendable (WriteGroup) throws -> HTTPResponse
  ) -> Write { Write(bytes: 0, isSmall: false, perform: perform) }
}
