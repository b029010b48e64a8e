import HTTPServer
import Texts

/// The one file of a body of the type `multipart/form-data` (RFC 7578). It is found by its bytes, in time linear in
/// the body.
struct FormFile {
  /// The longest boundary, by RFC 2046.
  private static let longestBoundary = 70
  /// The most bytes of the head of a part.
  private static let longestHead = 8192

  /// The bytes of the file, which are those of the body.
  let content: UnsafeRawBufferPointer
  /// Their media type by the form; nil if it has none.
  let contentType: String?
  /// The name of the file; nil if it has none.
  let name: String?

  /// Finds the file.
  ///
  /// - Parameters:
  ///   - contentType: the field that names the boundary.
  init(in body: UnsafeRawBufferPointer, contentType: String) throws(Problem) {
    guard let boundary = contentType.parameter("boundary"),
      (1...FormFile.longestBoundary).contains(boundary.utf8.count)
    else { throw Problem(415, "the Content-Type names no boundary of 1 to 70 characters") }
    let line = Array("--\(boundary)".utf8)
    guard let first = FormFile.delimiter(line, in: body, from: 0) else {
      throw Problem(415, "the body isn't a form as its Content-Type says: no line is its boundary")
    }
    guard !first.isLast else { throw Problem(400, "the form has no file") }
    guard let second = FormFile.delimiter(line, in: body, from: first.end) else {
      throw Problem(400, "the form ends within its first part")
    }
    guard second.isLast else {
      throw Problem(
        400, "the form has several parts; send one file, and parameters in the query of the URL")
    }
    let part = UnsafeRawBufferPointer(rebasing: body[first.end..<max(first.end, second.start)])
    guard let (head, start) = FormFile.head(of: part) else {
      throw Problem(
        400, "the part of the form has no empty line behind its head of at most 8192 bytes")
    }
    content = UnsafeRawBufferPointer(rebasing: part[start...])
    var (type, name): (String?, String?)
    for field in head.parts(separatedBy: 0x0A) {
      let line = field.utf8.last == 0x0D ? Substring(field.utf8.dropLast()) : field
      let (key, value) = line.cut(at: UInt8(ascii: ":"))
      guard let value else { continue }
      if key.trimmed.isSameField(as: "Content-Type") { type = String(value.trimmed) }
      if key.trimmed.isSameField(as: "Content-Disposition") {
        name = String(value).parameter("filename")
      }
    }
    (self.contentType, self.name) = (type, name)
  }

  /// The head of a part, and where its content begins; nil if it has none.
  private static func head(of part: UnsafeRawBufferPointer) -> (String, Int)? {
    var line = 0
    for index in 0..<min(part.count, longestHead) where part[index] == 0x0A {
      let length = index > line && part[index - 1] == 0x0D ? index - 1 - line : index - line
      if length == 0 { return (String(decoding: part[..<line], as: UTF8.self), index + 1) }
      line = index + 1
    }
    return nil
  }

  /// Finds the next line that is the boundary: where the line break before it starts and where the line ends, and whether
  /// it is the last.
  private static func delimiter(
    _ boundary: [UInt8], in body: UnsafeRawBufferPointer, from start: Int
  ) -> (start: Int, end: Int, isLast: Bool)? {
    var line = start
    while line < body.count {
      let rest = UnsafeRawBufferPointer(rebasing: body[line...])
      let end = rest.firstIndex(of: 0x0A).map { line + $0 + 1 } ?? body.count
      if rest.starts(with: boundary) {
        var last = min(end, line + boundary.count + 80)
        if last == end, last > line, body[last - 1] == 0x0A { last -= 1 }
        if last > line, body[last - 1] == 0x0D { last -= 1 }
        let behind = String(decoding: body[line + boundary.count..<last], as: UTF8.self).trimmed
        if behind.isEmpty || behind.isSame(as: "--") {
          var before = line
          if before > start, body[before - 1] == 0x0A { before -= 1 }
          if before > start, body[before - 1] == 0x0D { before -= 1 }
          return (before, end, !behind.isEmpty)
        }
      }
      line = end
    }
    return nil
  }
}
