import GeoFormats
import Glibc
import Texts

/// The values of flags in a file: a JSON object whose members are named like the flags.
struct ConfigurationFile {
  /// The member that `--print-config` adds, which is for readers only.
  static let sources = "sources"
  /// The longest file, in bytes.
  private static let longest = 1 << 20

  /// The values by the names of their flags, as they would be given on the command line.
  private(set) var values: [String: String] = [:]  // Characters: names of flags, as they are known
  private let path: String

  /// Reads a file and checks all of it.
  ///
  /// - Parameters:
  ///   - place: where the path was given.
  ///   - known: the flags of all commands. A command takes those that it has.
  init(path: String, from place: String, known: [Options.Flag]) throws(UsageError) {
    self.path = path
    let bytes = try ConfigurationFile.bytes(path, place)
    let document: JSONValue
    do {
      document = try JSONParser(maximumDepth: 8).parse(bytes)
    } catch {
      let line = error.offset.map { offset in
        " in line \(bytes[..<min(offset, bytes.count)].count { $0 == UInt8(ascii: "\n") } + 1)"
      }
      throw UsageError("\(place) is \(path), which is not JSON: \(error.reason)\(line ?? "")")
    }
    guard document.kind == .object else {
      throw UsageError(
        "\(place) is \(path), which holds \(ConfigurationFile.name(document.kind)), "
          + "not an object of flags and their values")
    }
    var seen: Set<ExactText> = []
    for (key, value) in document.members {
      let name = String(decoding: key, as: UTF8.self)
      guard seen.insert(ExactText(name)).inserted else { throw mistake(name, "is there twice") }
      if name == ConfigurationFile.sources, value.kind == .object { continue }
      guard let flag = known.first(where: { $0.name.isSame(as: name) }), name != "config" else {
        throw mistake(name, "is not a flag; see pincluster --help")
      }
      guard flag.hasVariable else { throw mistake(name, "can be given on the command line only") }
      let text = try text(value, of: flag)
      if let fault = flag.fault(of: text) {
        throw mistake(name, flag.isSecret ? "is \(fault)" : "is \(text), \(fault)")
      }
      values[name] = text
    }
  }

  private func mistake(_ name: String, _ text: String) -> UsageError {
    UsageError("\"\(name)\" in \(path) \(text)")
  }

  /// The value of a flag as text. Throws if it has another type than the flag.
  private func text(_ value: JSONValue, of flag: Options.Flag) throws(UsageError) -> String {
    let wanted: String
    switch flag.kind {
    case .integer:
      if value.kind == .number { return String(decoding: value.text, as: UTF8.self) }
      wanted = "a number"
    case .toggle:
      if let isOn = value.bool { return isOn ? "true" : "false" }
      wanted = "true or false"
    case .list:
      let elements = value.elements.map(\.string)
      if value.kind == .array, !elements.contains(nil) {
        let texts = elements.compactMap { $0 }
        if texts.contains(where: { $0.holds(",") }) {
          throw mistake(flag.name, "has a comma in a string of its array")
        }
        return try clean(texts.joined(separator: ","), flag)
      }
      if let text = value.string { return try clean(text, flag) }
      wanted = "a string or an array of strings"
    case .text, .choice, .file, .directory:
      if let text = value.string { return try clean(text, flag) }
      wanted = "a string"
    }
    throw mistake(flag.name, "is \(ConfigurationFile.name(value.kind)), not \(wanted)")
  }

  /// A text that the command line could give, too.
  private func clean(_ text: String, _ flag: Options.Flag) throws(UsageError) -> String {
    if text.utf8.contains(0) { throw mistake(flag.name, "has the character U+0000") }
    return text
  }

  private static func name(_ kind: JSONValue.Kind) -> String {
    switch kind {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// The bytes of a file, which may be a pipe.
  private static func bytes(_ path: String, _ place: String) throws(UsageError) -> [UInt8] {
    guard let file = fopen(path, "re") else {
      let reason = String(cString: strerror(errno))
      throw UsageError("\(place) is \(path), which cannot be opened: \(reason)")
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: longest + 1)
    let count = fread(&bytes, 1, bytes.count, file)
    guard ferror(file) == 0 else {
      let reason = String(cString: strerror(errno))
      throw UsageError("\(place) is \(path), which cannot be read: \(reason)")
    }
    guard count <= longest else {
      throw UsageError("\(place) is \(path), which is longer than 1 MiB")
    }
    return Array(bytes[..<count])
  }
}
