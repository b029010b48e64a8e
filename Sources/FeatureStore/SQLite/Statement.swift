import CSQLite
import ClusterCore

/// The owner of a prepared statement. It keeps its connection open.
///
/// A borrowed binding points at the caller's memory, which must live until the statement is reset.
final class Statement {
  let connection: Connection
  private let pointer: OpaquePointer

  private var handle: OpaquePointer {
    connection.isolation.check()
    return pointer
  }

  init(_ sql: String, on connection: Connection) throws(StoreError) {
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else { throw connection.error(code) }
    pointer = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(pointer) }

  /// Runs to the next row and returns whether there is one. A failed or finished statement is reset.
  func step() throws(StoreError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    let error = code == SQLITE_DONE ? nil : connection.error(code)
    sqlite3_reset(handle)
    if let error { throw error }
    return false
  }

  /// Runs to the end and returns the number of rows that were changed.
  ///
  /// - Parameter integers: are bound to the first parameters.
  @discardableResult
  func run(_ integers: Int64...) throws(StoreError) -> Int {
    try bind(integers)
    while try step() {}
    return Int(sqlite3_changes64(connection.handle))
  }

  /// Returns what `body` makes of the first row, or nil if there is none, and resets the statement.
  ///
  /// - Parameter integers: are bound to the first parameters.
  func first<R>(
    _ integers: Int64..., body: (Statement) throws(StoreError) -> R
  ) throws(StoreError) -> R? {
    try bind(integers)
    guard try step() else { return nil }
    defer { reset() }
    return try body(self)
  }

  /// Makes the statement ready to run again. (The result code repeats the error of the last step.)
  func reset() { sqlite3_reset(handle) }

  private func bind(_ integers: [Int64]) throws(StoreError) {
    for (index, value) in integers.enumerated() { try bind(value, at: Int32(index + 1)) }
  }

  func bind(_ value: Int64, at index: Int32) throws(StoreError) {
    try check(sqlite3_bind_int64(handle, index, value))
  }

  /// Binds an integer, or NULL.
  func bind(_ value: Int64?, at index: Int32) throws(StoreError) {
    guard let value else { return try check(sqlite3_bind_null(handle, index)) }
    try bind(value, at: index)
  }

  /// Binds a copy of the text, or NULL.
  func bind(_ text: String?, at index: Int32) throws(StoreError) {
    guard var text else { return try check(sqlite3_bind_null(handle, index)) }
    let code = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // A null pointer would bind NULL, which an empty text is not.
        guard let base = characters.baseAddress else {
          return csqlite_bind_text_copy(handle, index, "", 0)
        }
        return csqlite_bind_text_copy(handle, index, base, UInt64(characters.count))
      }
    }
    try check(code)
  }

  /// Binds borrowed UTF-8.
  func bindBorrowed(text: UnsafeRawBufferPointer, at index: Int32) throws(StoreError) {
    guard let base = text.baseAddress else { return try bind("", at: index) }
    try check(
      sqlite3_bind_text64(
        handle, index, base.assumingMemoryBound(to: CChar.self), UInt64(text.count), nil,
        UInt8(SQLITE_UTF8)))
  }

  /// Binds borrowed bytes, which must not be empty.
  func bindBorrowed(blob: UnsafeRawBufferPointer, at index: Int32) throws(StoreError) {
    try check(sqlite3_bind_blob64(handle, index, blob.baseAddress, UInt64(blob.count), nil))
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// An integer, or nil for anything else.
  func optionalInteger(_ column: Int32) -> Int64? {
    type(column) == SQLITE_INTEGER ? integer(column) : nil
  }

  /// The storage class of a value, such as `SQLITE_TEXT`.
  func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

  /// The bytes of a text or blob in SQLite's page cache, valid until the next step or reset.
  /// (`sqlite3_column_text` would copy them to append a zero.)
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// A text, or nil for anything else.
  func text(_ column: Int32) -> String? {
    guard type(column) == SQLITE_TEXT else { return nil }
    return String(decoding: bytes(column), as: UTF8.self)
  }

  private func check(_ code: Int32) throws(StoreError) {
    guard code == SQLITE_OK else { throw connection.error(code) }
  }
}

extension Statement {
  /// Binds an id as it lies in a column. A text is borrowed.
  func bindBorrowed(_ id: FeatureRecord.RawID, at index: Int32) throws(StoreError) {
    switch id {
    case .integer(let value, _): try bind(value, at: index)
    case .text(let bytes): try bindBorrowed(text: bytes, at: index)
    }
  }

  /// An id, or nil if the value isn't in the form in which ids are stored.
  func id(_ column: Int32, isWrittenAsText: Bool) -> FeatureID? {
    switch type(column) {
    case SQLITE_INTEGER:
      return try? FeatureID(integer: integer(column), isWrittenAsText: isWrittenAsText)
    case SQLITE_TEXT where bytes(column).isUTF8:
      guard let id = try? FeatureID(text: bytes(column)), case .text = id.key else { return nil }
      return id
    default: return nil
    }
  }
}
