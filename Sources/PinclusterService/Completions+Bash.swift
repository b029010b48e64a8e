extension Completions {
  /// A script for bash, which needs no bash-completion.
  static var bash: String {
    """
    # bash completion for pincluster; pincluster completions bash prints it.
    _pincluster() {
      local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
      # readline splits words at an equals sign.
      if [[ $cur == "=" ]]; then
        cur=
      elif [[ $prev == "=" ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
      fi
      COMPREPLY=()
      if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W '\(names) --help --version' -- "$cur")
        return
      fi
      case $command in
    \(Command.all.map(bash).joined(separator: "\n"))
      esac
    }
    complete -F _pincluster pincluster

    """
  }

  private static var names: String { Command.all.map(\.name).joined(separator: " ") }

  private static func bash(_ entry: Command.Entry) -> String {
    let flags = flags(entry)
    var byAction: [(action: String, names: [String])] = []
    for flag in flags where flag.takesValue {
      let action = bash(flag.kind)
      if let found = byAction.firstIndex(where: { $0.action == action }) {
        byAction[found].names.append("--\(flag.name)")
      } else {
        byAction.append((action, ["--\(flag.name)"]))
      }
    }
    let cases = byAction.map { "        \($0.names.joined(separator: " | "))) \($0.action) ;;\n" }
    let operand = bash(entry.operands ?? .text)
    let list = flags.map { "--\($0.name)" }.joined(separator: " ")
    return """
          \(entry.name))
            case $prev in
      \(cases.joined())        *)
                if [[ $cur == -* ]]; then
                  mapfile -t COMPREPLY < <(compgen -W '\(list)' -- "$cur")
                else
                  \(operand)
                fi
                ;;
            esac
            ;;
      """
  }

  /// The command that completes values.
  private static func bash(_ kind: Options.Flag.Kind) -> String {
    switch kind {
    case .choice(let words):
      "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$cur\")"
    case .file: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"
    case .directory: "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")"
    case .text, .list, .integer, .toggle: ":"
    }
  }
}
