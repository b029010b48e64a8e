import CLibPQ
import ClusterCore

/// The answer to a query, in binary form: its rows.
final class PostgresResult: RandomAccessCollection {
  fileprivate let pointer: OpaquePointer

  /// Takes a result over.
  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { PQclear(pointer) }

  var startIndex: Int { 0 }
  var endIndex: Int { Int(PQntuples(pointer)) }

  subscript(row: Int) -> Row { Row(result: self, row: Int32(row)) }

  /// Whether the first value of the first row is true.
  var isTrue: Bool { first?.boolean(0) == true }

  /// A row.
  struct Row {
    /// Kept, so that the bytes of values are valid as long as the row is.
    fileprivate let result: PostgresResult
    fileprivate let row: Int32

    /// The bytes of a value; nil for NULL.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
      guard PQgetisnull(result.pointer, row, column) == 0,
        let start = PQgetvalue(result.pointer, row, column)
      else { return nil }
      return UnsafeRawBufferPointer(
        start: start, count: Int(PQgetlength(result.pointer, row, column)))
    }

    func integer(_ column: Int32) -> Int64? { bytes(column).flatMap(Int64.init(bigEndianBytes:)) }

    func boolean(_ column: Int32) -> Bool? {
      bytes(column).flatMap { $0.count == 1 ? $0[0] != 0 : nil }
    }

    func text(_ column: Int32) -> String? {
      bytes(column).map { String(decoding: $0, as: UTF8.self) }
    }
  }
}

extension Int64 {
  /// Reads eight bytes, the most significant first; nil for any other number of them.
  init?(bigEndianBytes bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 8 else { return nil }
    self.init(bigEndian: bytes.loadUnaligned(as: Int64.self))
  }
}

extension PostgresConnection {
  /// Runs a query in a round trip of its own.
  ///
  /// - Parameters:
  ///   - seconds: the longest time in which nothing comes from the server.
  ///   - sink: takes the rows.
  @discardableResult
  func answer(
    to query: PostgresQuery, within seconds: Double = 10, sink: (any RowSink)? = nil
  ) throws(StoreError) -> PostgresResult {
    try run([query], within: seconds, sinks: sink.map { [0: $0] } ?? [:])[0]
  }
}

/// Takes the rows of a query, as they come.
protocol RowSink: AnyObject {
  func take(_ row: PostgresResult.Row) throws(StoreError)
}
