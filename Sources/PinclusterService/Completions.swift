import Texts

/// `pincluster completions SHELL`: prints what lets a shell complete commands, flags and their values.
struct Completions: RunnableCommand {
  static let shells = ["bash", "zsh", "fish"]

  private let shell: String

  init(_ options: Options) throws(UsageError) {
    guard options.operands.count == 1, Completions.shells.contains(options.operands[0]) else {
      throw UsageError("completions takes one SHELL: bash, zsh or fish")
    }
    shell = options.operands[0]
  }

  func run() -> Int32 {
    let text =
      switch shell {
      case "zsh": Completions.zsh
      case "fish": Completions.fish
      default: Completions.bash
      }
    print(text, terminator: "")
    return 0
  }

  /// A text in single quotes, for any of the shells.
  static func quoted(_ text: String) -> String {
    "'" + text.parts(separatedBy: UInt8(ascii: "'")).joined(separator: "'\\''")
      + "'"
  }

  /// A word of a list that fish and zsh read as they read a command.
  static func word(_ word: String) -> String {
    word.escaped { ";|&<>()$*?~#".utf8.contains($0) ? "\\\(Unicode.Scalar($0))" : nil }
  }

  /// The flags of a command with `--help`.
  static func flags(_ entry: Command.Entry) -> [Options.Flag] {
    entry.allFlags + [.init(switch: "help", "list the flags", hasVariable: false)]
  }
}
