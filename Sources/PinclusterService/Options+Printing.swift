import GeoFormats
import Texts

extension Options {
  /// The configuration in effect, as a file that `--config` takes. Its member `sources` says where what isn't
  /// usual was given. The values of secret flags are left out.
  var printed: String {
    let settings = flags.filter { $0.hasVariable && $0.name != "config" && values[$0.name] != nil }
    var members = settings.filter { !$0.isSecret }.map { flag in
      Options.member(flag.name) { json in
        let text = values[flag.name] ?? ""
        switch flag.kind {
        case .integer: json.value(Int(text) ?? 0)
        case .toggle: json.value(isOn(flag.name))
        case .list where text.holds(","):
          json.beginArray()
          for element in text.parts(separatedBy: UInt8(ascii: ",")) {
            json.value(String(element))
          }
          json.endArray()
        case .text, .list, .choice, .file, .directory: json.value(text)
        }
      }
    }
    let given = settings.filter { sources[$0.name] != .standard }.map { flag in
      "  "
        + Options.member(flag.name) { json in
          json.value(place(flag.name) + (flag.isSecret ? " (hidden)" : ""))
        }
    }
    if !given.isEmpty {
      let list = given.joined(separator: ",\n")
      members.append("  \"\(ConfigurationFile.sources)\": {\n\(list)\n  }")
    }
    return "{\n\(members.joined(separator: ",\n"))\n}"
  }

  private static func member(_ name: String, _ value: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter(reserving: 64)
    value(&json)
    return "  \"\(name)\": " + String(decoding: json.take(), as: UTF8.self)
  }
}
