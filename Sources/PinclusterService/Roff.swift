/// Writes a page in the language of man(7).
struct Roff {
  private(set) var text = ""

  /// Begins a section.
  mutating func section(_ title: String) { line(".SH " + Roff.quoted(title)) }

  /// Begins a part of a section.
  mutating func subsection(_ title: String) { line(".SS " + Roff.quoted(title)) }

  /// Writes paragraphs of plain text, which empty lines separate.
  mutating func paragraphs(_ text: String) {
    // Characters: texts of the program
    for (number, paragraph) in text.split(separator: "\n\n").enumerated() {
      if number > 0 { line(".PP") }
      plain(paragraph)
    }
  }

  /// Writes an element of a list of terms: a term, already in roff, and plain text.
  mutating func item(_ term: String, _ text: String) {
    line(".TP")
    line(term)
    plain(text[...])
  }

  /// Writes a command that a reader may type.
  mutating func example(_ command: String) {
    line(".PP")
    line(".in +4n\n.nf")
    line(Roff.bold(command))
    line(".fi\n.in")
  }

  /// Writes a line of roff.
  mutating func line(_ roff: String) { text += roff + "\n" }

  /// Writes words, filled to lines of a length that others can read.
  private mutating func plain(_ text: Substring) {
    var line = ""
    for word in text.utf8.split(whereSeparator: { $0 <= 0x20 }).map({
      Roff.escaped(Substring($0))
    }) {
      if !line.isEmpty, line.utf8.count + word.utf8.count >= 78 {
        self.line(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    self.line(line)
  }

  /// Text in bold.
  static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

  /// Text in italics.
  static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

  /// Text that stands for itself. Every dash is a minus, as in flags.
  static func escaped(_ text: some StringProtocol) -> String {
    // A full stop or an apostrophe at the start of a line would be a command.
    var escaped = text.utf8.first == UInt8(ascii: ".") ? "\\&" : ""
    for scalar in text.unicodeScalars {
      switch scalar {  // Characters: code points of Unicode
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case "\"": escaped += "\\(dq"
      default:
        if scalar.isASCII {
          escaped.unicodeScalars.append(scalar)
        } else {
          let digits = String(scalar.value, radix: 16, uppercase: true)
          escaped += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
        }
      }
    }
    return escaped
  }

  /// An argument of a macro.
  static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }
}
