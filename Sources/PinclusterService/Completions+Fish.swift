import Texts

extension Completions {
  /// A script for fish.
  static var fish: String {
    var lines = [
      "# fish completion for pincluster; pincluster completions fish prints it.",
      "complete -c pincluster -f",
      "complete -c pincluster -n __fish_use_subcommand -l help -d 'list the commands'",
      "complete -c pincluster -n __fish_use_subcommand -l version -d 'print the version'",
    ]
    for entry in Command.all {
      lines.append(
        "complete -c pincluster -n __fish_use_subcommand -a \(entry.name) -d \(fishQuoted(entry.summary))"
      )
      let within = "complete -c pincluster -n '__fish_seen_subcommand_from \(entry.name)'"
      for flag in flags(entry) {
        lines.append(
          "\(within) -l \(flag.name)\(fish(flag.kind)) -d \(fishQuoted(flag.fullHelp))")
      }
      // Without what says that a flag has a value.
      let operands = entry.operands.map(fish)
      if let words = operands?.after(" -r") ?? operands?.after(" -x") {
        lines.append(within + words)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// How values are completed.
  private static func fish(_ kind: Options.Flag.Kind) -> String {
    switch kind {
    case .choice(let words): " -x -a '\(words.map(word).joined(separator: " "))'"
    case .file: " -r -F"
    case .directory: " -x -a '(__fish_complete_directories)'"
    case .text, .list, .integer: " -x"
    case .toggle: ""
    }
  }

  /// A text in single quotes, in which fish knows a backslash.
  private static func fishQuoted(_ text: String) -> String {
    "'" + text.escaped { "'\\".utf8.contains($0) ? "\\\(Unicode.Scalar($0))" : nil } + "'"
  }
}
