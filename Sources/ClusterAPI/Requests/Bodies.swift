import GeoFormats
import HTTPServer

extension RequestBody {
  /// Whether there is nothing in it but white space.
  var isBlank: Bool {
    withUnsafeBytes { $0.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) } }
  }
}

extension HTTPRequest {
  /// Refuses a body of another media type; a body without one is taken as the first.
  func checkBodyType(_ types: [MediaType]) throws(Problem) {
    // As it is mostly written, without a look at its parts.
    if headers["content-type"] == types.first?.rawValue { return }
    guard let type = bodyType, !types.contains(where: { $0.rawValue == type }) else { return }
    throw Problem(
      415,
      "a body of type \(type.prefix(100)) is not understood here; send "
        + types.map(\.rawValue).joined(separator: ", "))
  }
}

extension API {
  /// Reads a JSON body that must be an object of known names.
  func withBodyObject<R>(
    _ request: HTTPRequest, allowed: [String], _ body: (Fields, JSONValue) throws -> R
  ) throws -> R {
    try withParser { parser in
      try request.body.withUnsafeBytes { bytes in
        let object: JSONValue
        do {
          object = try parser.parse(bytes)
        } catch let error as JSONError where error != .outOfMemory {
          throw API.problem(error, in: bytes, names: allowed)
        }
        return try body(try Fields(object: object, allowed: allowed), object)
      }
    }
  }

  /// The problem with a body that is not JSON, pointing at the field in which it went wrong, as far
  /// as that can be told.
  private static func problem(
    _ error: JSONError, in bytes: UnsafeRawBufferPointer, names: [String]
  ) -> Problem {
    let detail = bytes.isEmpty ? "the body is empty" : "the body is not JSON: \(error)"
    let end = min(max(error.offset ?? bytes.count, 0), min(bytes.count, 4096))
    let text = String(decoding: bytes[..<end], as: UTF8.self)
    var last: (name: String, place: String.Index)?
    for name in names {
      // The last of the known names that stands before the error.
      var rest = text[...]
      let quoted = "\"\(name)\""
      while let found = rest.firstRange(of: quoted) {
        if last.map({ $0.place < found.lowerBound }) ?? true { last = (name, found.lowerBound) }
        rest = rest[found.upperBound...]
      }
    }
    guard let last else { return Problem(400, detail) }
    return Problem(400, field: last.name, inBody: true, detail)
  }
}

extension HTTPResponse {
  /// A JSON answer.
  init(
    _ json: consuming JSONWriter, status: Int = 200, type: MediaType = .json, etag: String? = nil
  ) {
    self.init(
      status: status, headers: CrossOrigin.fields(of: type), body: json.take(), etag: etag)
  }
}
