import HTTPServer
import Texts

/// The shape of a request: the names of its fields, each with the length of its value in bytes, such as
/// `bbox=15&zoom=1`. Values may be secret or personal, and don't belong in logs.
public enum RequestShape {
  /// The most names in a shape, and the most bytes of each.
  private static let (most, longest) = (40, 64)
  /// The longest body that is looked at, in bytes.
  private static let longestBody = 16 << 10

  /// The shape of a query; nil without one. Lengths are those of percent-encoded values.
  public static func ofQuery(_ query: String?) -> String? {
    query.map { query in
      let fields = query.parts(separatedBy: UInt8(ascii: "&"), atMost: 4 * most).filter {
        !$0.isEmpty
      }
      return text(
        fields.lazy.map { field in
          let name = field.utf8.prefix { $0 != UInt8(ascii: "=") }
          return (Array(name.prefix(longest + 1)), max(field.utf8.count - name.count - 1, 0))
        })
    }
  }

  /// The shape of a JSON object, with the lengths of its members' texts; nil for anything else.
  static func ofBody(_ body: RequestBody) -> String? {
    guard body.count <= longestBody else { return nil }
    return body.withUnsafeBytes { bytes in
      members(of: Array(bytes)).map { text($0.lazy.map { ($0.name, $0.size) }) }
    }
  }

  private static func text(_ fields: some Sequence<(name: [UInt8], size: Int)>) -> String {
    var parts: [String] = []
    for (name, size) in fields {
      guard parts.count < most else {
        parts.append("…")
        break
      }
      let cut = name.count > longest ? "…" : ""
      parts.append("\(String(decoding: name.prefix(longest), as: UTF8.self))\(cut)=\(size)")
    }
    return parts.joined(separator: "&")
  }

  /// The members of a text that begins like a JSON object. It need not be one.
  private static func members(of text: [UInt8]) -> [(name: [UInt8], size: Int)]? {
    let isSpace = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    guard let first = text.firstIndex(where: { !isSpace($0) }), text[first] == UInt8(ascii: "{")
    else { return nil }
    var found: [(name: [UInt8], size: Int)] = []
    var (depth, isString, isEscaped) = (0, false, false)
    // Where the last string of the object itself lies, and the value behind the last name.
    var (string, name, value): (Range<Int>, [UInt8]?, Int) = (0..<0, nil, 0)
    func end(at index: Int) {
      guard let ended = name else { return }
      let size = text[value..<index].reversed().drop(while: isSpace).reversed().drop(while: isSpace)
      found.append((ended, size.count))
      name = nil
    }
    for index in text.indices[first...] where found.count <= most {
      let byte = text[index]
      if isString {
        if !isEscaped, byte == UInt8(ascii: "\"") {
          isString = false
          if depth == 1 { string = string.lowerBound..<index }
        }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        isString = true
        if depth == 1 { string = index + 1..<index + 1 }
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 1 { end(at: index) }
        depth -= 1
        if depth <= 0 { return found }
      case UInt8(ascii: ":") where depth == 1 && name == nil:
        (name, value) = (Array(text[string].prefix(longest + 1)), index + 1)
      case UInt8(ascii: ",") where depth == 1: end(at: index)
      default: break
      }
    }
    return found
  }
}

extension RequestLog {
  /// The shape of the query and the body; nil if there is neither.
  public var shape: String? {
    switch (RequestShape.ofQuery(query), notes.shape) {
    case (let query?, let body?): "\(query)&\(body)"
    case (let query, let body): query ?? body
    }
  }
}
