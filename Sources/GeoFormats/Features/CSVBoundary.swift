import Glibc

/// Finds the ends of a table's records, across chunks. A quote opens a quoted field only at the start of
/// the field; elsewhere in an unquoted field it is text.
struct CSVBoundary {
  private enum State {
    case fieldStart
    case text
    case quoted
    /// After a quote in a quoted field: the end of the field, or the first half of "".
    case quote
  }

  private let separator: UInt8
  private let skipsBlanks: Bool
  private var state = State.fieldStart
  private var isFresh = true
  private(set) var hasQuotes = false

  /// The bytes that ``plainEnd(_:from:)`` looks ahead. Without a limit it would read a file without line
  /// feeds to its end for every record.
  private static let window = 4096

  /// - Parameter skipsBlanks: whether blanks at the start of a field aren't part of it.
  init(separator: UInt8, skipsBlanks: Bool = false) {
    (self.separator, self.skipsBlanks) = (separator, skipsBlanks)
  }

  /// Reads on from `index`. Returns the end of the record and moves `index` past the line break, or
  /// returns nil at the end of the chunk.
  mutating func scan(_ chunk: UnsafeRawBufferPointer, _ index: inout Int) -> Int? {
    if isFresh, let end = plainEnd(chunk, from: index) {
      index = end + 1
      return end
    }
    isFresh = false
    while index < chunk.count {
      if state == .quoted {
        guard let base = chunk.baseAddress,
          let quote = memchr(base + index, 0x22, chunk.count - index)
        else {
          index = chunk.count
          return nil
        }
        index = UnsafeRawPointer(quote) - base + 1
        state = .quote
        continue
      }
      let byte = chunk[index]
      index += 1
      switch byte {
      case 0x0A, 0x0D: return index - 1
      case separator: state = .fieldStart
      case 0x20 where skipsBlanks && state == .fieldStart: break
      case UInt8(ascii: "\"") where state == .fieldStart:
        state = .quoted
        hasQuotes = true
      case UInt8(ascii: "\"") where state == .quote: state = .quoted
      default: state = .text
      }
    }
    return nil
  }

  /// The fast path for a record without quotes that ends in the chunk: the end of its text. Nil for other
  /// records.
  private func plainEnd(_ chunk: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard let base = chunk.baseAddress else { return nil }
    let from = base + start
    let length = min(chunk.count - start, CSVBoundary.window)
    guard let feed = memchr(from, 0x0A, length) else { return nil }
    let count = UnsafeRawPointer(feed) - from
    guard memchr(from, 0x22, count) == nil else { return nil }
    // The caller skips the line feed of a CRLF.
    let carriage = memchr(from, 0x0D, count).map { UnsafeRawPointer($0) - from }
    return start + (carriage ?? count)
  }
}
