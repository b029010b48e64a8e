extension Command {
  /// A command as the help and the completions tell of it.
  struct Entry: Sendable {
    let name: String
    /// The placeholder of its operand, and flags that it needs; empty if there are none.
    let operand: String
    /// The kind of its operand; nil if it takes none.
    let operands: Options.Flag.Kind?
    /// A sentence without its end.
    let summary: String
    /// Sentences, in lines.
    let description: String
    let flags: [Options.Flag]
    /// Sentences after the flags, in lines; may be empty.
    let notes: String
    let type: any RunnableCommand.Type

    init(
      _ name: String, _ type: any RunnableCommand.Type, operand: String = "",
      _ operands: Options.Flag.Kind? = nil, flags: [Options.Flag], summary: String,
      description: String, notes: String = ""
    ) {
      (self.name, self.type, self.operand, self.flags) = (name, type, operand, flags)
      (self.operands, self.summary) = (operands, summary)
      (self.description, self.notes) = (description, notes)
    }

    /// Its flags, with those that all such commands have.
    var allFlags: [Options.Flag] { Options.allFlags(flags) }

    /// How it is called.
    var usage: String {
      "pincluster \(name)\(operand.isEmpty ? "" : " " + operand)\(flags.isEmpty ? "" : " [FLAGS]")"
    }

    /// The text of `--help`.
    var help: String {
      var parts = ["Usage: \(usage)", description]
      if !flags.isEmpty {
        parts.append(
          "Flags, with their (defaults) and [environment variables]:\n" + Options.help(allFlags))
      }
      if !notes.isEmpty { parts.append(notes) }
      return parts.joined(separator: "\n\n")
    }
  }
}
