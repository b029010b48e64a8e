import GeoFormats
import Texts

/// Members of objects that are values of fields.
extension Fields {
  /// The names at the beginnings of paths, each once, in words.
  private static func names(_ paths: [String]) -> String {
    var names: [String] = []
    for path in paths {
      let name = String(path.cut(at: UInt8(ascii: "/")).0)
      if names.last?.isSame(as: name) != true { names.append(name) }
    }
    return names.dropLast().joined(separator: ", ") + " and \(names.last ?? "")"
  }

  /// Refuses members that no path names, at any depth.
  func checkMembers(
    _ json: JSONValue, _ pointer: String, _ paths: [String]
  ) throws(Problem) {
    guard json.kind == .object else { throw problem(pointer, "\(pointer) is not an object") }
    var seen: Set<ExactText> = []
    for (key, value) in json.members {
      let member = String(decoding: key, as: UTF8.self)
      let below = paths.filter { $0.isSame(as: member) || $0.begins(with: "\(member)/") }
      let location = "\(pointer)/\(shown(member))"
      guard !below.isEmpty else {
        throw problem(location, "the name is unknown here; \(pointer) has \(Fields.names(paths))")
      }
      guard seen.insert(ExactText(member)).inserted else {
        throw problem(location, "\(member) is given twice")
      }
      let paths = below.compactMap { $0.after("\(member)/").map(String.init) }
      if !paths.isEmpty { try checkMembers(value, location, paths) }
    }
  }
}
