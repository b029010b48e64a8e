import GeoFormats
import HTTPServer
import Texts

extension HTTPRequest {
  /// Refuses a body of another media type, or of none: a page of any web site could have it sent.
  func checkBodyType(_ types: [MediaType]) throws(Problem) {
    // The usual case needs no list of names.
    if bodyType(of: types) != nil { return }
    let names = types.map(\.rawValue).joined(separator: ", ")
    guard let type = bodyTypeText else {
      if body.count == 0 { return }
      throw Problem(415, "the body has no Content-Type; send \(names)")
    }
    throw Problem(
      415, "a body of type \(String(type.shortened(to: 100))) is not understood here; send \(names)"
    )
  }

  /// Refuses a body whose coordinates are not longitudes and latitudes, as `Content-Crs` says.
  func checkReferenceSystem() throws(Problem) {
    guard let field = headers["content-crs"] else { return }
    // No name that is known is longer.
    let name = field.utf8.prefix(300).filter { !"<> \t".utf8.contains($0) }
    guard !ReferenceSystem(named: String(decoding: name, as: UTF8.self)).isDegrees else { return }
    throw Problem(
      400, field: "Content-Crs", inBody: false,
      "coordinates are stored in \(ReferenceSystem.crs84) only")
  }

  /// The media type of the body, of those of a list; nil if none of them is given.
  func bodyType(of types: [MediaType]) -> MediaType? {
    // Few have parameters, or capitals.
    guard let field = headers["content-type"] else { return nil }
    if let type = types.first(where: { field.isSame(as: $0.rawValue) }) { return type }
    return bodyTypeText.flatMap { type in types.first { type.isSameField(as: $0.rawValue) } }
  }

  /// The media type of the body, without parameters; nil if none is given.
  private var bodyTypeText: Substring? {
    headers["content-type"]?.parts(separatedBy: UInt8(ascii: ";"), atMost: 1)[0].trimmed
  }

  /// The offered type that the client likes best, the first of equals: by `f`, else by Accept.
  ///
  /// - Throws: ``Problem`` 406 when it accepts none, 400 when `f` names none.
  func negotiate(_ offered: [MediaType], format: String?) throws(Problem) -> MediaType {
    if let format {
      if let type = offered.first(where: { $0.shortName == format }) { return type }
      let names = offered.map(\.shortName).joined(separator: ", ")
      throw Problem(400, field: "f", inBody: false, "f is none of \(names)")
    }
    guard let type = accepted(offered) else {
      throw Problem(
        406, "this resource is served as \(offered.map(\.rawValue).joined(separator: ", "))")
    }
    return type
  }

  /// The offered type that the client likes best; the first if it accepts none of them.
  func negotiateLeniently(_ offered: [MediaType]) -> MediaType { accepted(offered) ?? offered[0] }

  /// The offered type that the client likes best, the first of equals; nil if it accepts none of them.
  private func accepted(_ offered: [MediaType]) -> MediaType? {
    guard let accept = headers["accept"] else { return offered[0] }
    if accept.isSame(as: "*/*") || accept.isSame(as: offered[0].rawValue) || accept.trimmed.isEmpty
    {
      return offered[0]
    }
    let ranges = Array(WeightedNames(accept))
    /// How well a range is liked; the first of equals counts.
    func weight(_ name: some StringProtocol) -> Double? {
      ranges.first { $0.isNamed(name) }.map { $0.weight ?? 1 }
    }
    var best: (type: MediaType, weight: Double)?
    for type in offered {
      let group = type.rawValue.parts(separatedBy: UInt8(ascii: "/"), atMost: 1)[0] + "/*"
      // The most specific range that holds the type decides.
      let weight = weight(type.rawValue) ?? weight(group) ?? weight("*/*") ?? 0
      if weight > best?.weight ?? 0 { best = (type, weight) }
    }
    return best?.type
  }
}

extension String {
  /// The value of a parameter of a field such as `text/csv; charset="utf-8"`, without quotes; nil if it isn't among
  /// the first twenty.
  func parameter(_ name: String) -> String? {
    for part in parts(separatedBy: UInt8(ascii: ";"), atMost: 20).dropFirst() {
      let (key, value) = part.cut(at: UInt8(ascii: "="))
      guard key.trimmed.isSameField(as: name), let value = value?.trimmed else { continue }
      let isQuoted = value.utf8.count > 1 && value.begins(with: "\"") && value.ends(with: "\"")
      return isQuoted
        ? String(decoding: value.utf8.dropFirst().dropLast(), as: UTF8.self) : String(value)
    }
    return nil
  }
}
