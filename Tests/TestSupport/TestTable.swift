/// A table as RFC 4180 has it, read byte by byte and with no leniency: for tests.
public struct TestTable: Equatable, Sendable {
  /// The names in the first line.
  public let header: [String]
  /// The fields of the other lines.
  public let rows: [[String]]

  /// Reads a table; nil for anything that the grammar of RFC 4180 doesn't give, such as a line that ends without CR LF, a
  /// quote in a field without quotes, or lines of different numbers of fields.
  public init?(_ bytes: [UInt8]) {
    var (records, record): ([[String]], [String]) = ([], [])
    var (field, index) = ([UInt8](), 0)
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\"") {
        index += 1
        while true {
          guard index < bytes.count else { return nil }
          if bytes[index] == UInt8(ascii: "\"") {
            guard index + 1 < bytes.count else { return nil }
            if bytes[index + 1] != UInt8(ascii: "\"") { break }
            index += 1
          }
          field.append(bytes[index])
          index += 1
        }
        index += 1
      } else {
        while index < bytes.count, !Array(",\r\n\"".utf8).contains(bytes[index]) {
          field.append(bytes[index])
          index += 1
        }
      }
      guard index < bytes.count else { return nil }
      record.append(String(decoding: field, as: UTF8.self))
      field = []
      if bytes[index] == UInt8(ascii: ",") {
        index += 1
        continue
      }
      guard bytes[index] == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A else {
        return nil
      }
      index += 2
      records.append(record)
      record = []
    }
    guard record.isEmpty, let first = records.first,
      records.allSatisfy({ $0.count == first.count })
    else { return nil }
    (header, rows) = (first, Array(records.dropFirst()))
  }
}
