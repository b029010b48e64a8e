import Texts

extension Completions {
  /// A script for zsh, for a file `_pincluster` in a folder of `$fpath`.
  static var zsh: String {
    let commands = Command.all.map { "    " + quoted("\(escaped($0.name)):\($0.summary)") }
    return """
      #compdef pincluster
      # zsh completion for pincluster; pincluster completions zsh prints it.
      _pincluster() {
        local curcontext=$curcontext state line
        local -a commands=(
      \(commands.joined(separator: "\n"))
        )
        _arguments -C '(- *)--help[list the commands]' '(- *)--version[print the version]' \\
          '1:command:->command' '*::argument:->argument'
        case $state in
          command) _describe command commands ;;
          argument)
            case $words[1] in
      \(Command.all.map(zsh).joined(separator: "\n"))
            esac
            ;;
        esac
      }
      if [[ $funcstack[1] == _pincluster ]]; then
        _pincluster "$@"
      else
        compdef _pincluster pincluster
      fi

      """
  }

  private static func zsh(_ entry: Command.Entry) -> String {
    var specifications = flags(entry).map { flag in
      let help = escaped(flag.fullHelp)
      guard flag.takesValue else { return quoted("--\(flag.name)[\(help)]") }
      return quoted("--\(flag.name)=[\(help)]:\(flag.placeholder):\(zsh(flag.kind))")
    }
    if let operands = entry.operands {
      let place = operands == .file ? "*:file" : "1:word"
      specifications.append(quoted("\(place):\(zsh(operands))"))
    }
    let list = specifications.joined(separator: " \\\n            ")
    return "        \(entry.name))\n          _arguments \\\n            \(list)\n          ;;"
  }

  /// The completion of values.
  private static func zsh(_ kind: Options.Flag.Kind) -> String {
    switch kind {
    case .choice(let words): "(\(words.map(word).joined(separator: " ")))"
    case .file: "_files"
    case .directory: "_files -/"
    case .text, .list, .integer, .toggle: " "
    }
  }

  /// A text within a specification, where brackets and colons mean something.
  private static func escaped(_ text: String) -> String {
    text.escaped { "[]:\\".utf8.contains($0) ? "\\\(Unicode.Scalar($0))" : nil }
  }
}
