import CGetopt
import ClusterAPI
import Collections
import Glibc
import HTTPServer
import Texts

/// The values of a command's flags: from the command line (parsed by getopt_long), else from the environment,
/// else from the configuration file, else those that hold while nothing is given.
struct Options {
  /// Where a value comes from.
  enum Source: Equatable {
    case commandLine
    case environment
    case file(String)
    case standard
  }

  /// The flags that every command with variables has in addition to its own.
  static let common: [Flag] = [
    .init(
      "config", "FILE", "configuration: a JSON object of flags and their values", unset: "none"),
    .init(
      switch: "print-config", "check and print the configuration in effect, and do nothing else",
      hasVariable: false),
  ]

  /// The flags of a command with those that it has in addition to its own.
  static func allFlags(_ own: [Flag]) -> [Flag] {
    own + (own.contains(where: \.hasVariable) ? common : [])
  }

  /// The name of the command.
  let command: String
  /// The flags of the command, with the common ones.
  let flags: [Flag]
  private(set) var values: [String: String] = [:]  // Characters: names of flags
  private(set) var sources: [String: Source] = [:]  // Characters: names of flags
  private(set) var operands: [String] = []
  private(set) var wantsHelp = false
  /// Likely mistakes that don't end the command, one sentence each.
  private(set) var warnings: [String] = []

  /// Parses the arguments after the command's name. Flags may precede and follow operands.
  ///
  /// - Parameter known: the flags of all commands, which the environment and the configuration file may set.
  init(_ arguments: [String], of entry: Command.Entry, known: [Flag]) throws(UsageError) {
    (command, flags) = (entry.name, entry.allFlags)
    try readArguments(arguments)
    if wantsHelp { return }
    let known = known + Options.common
    readEnvironment(known)
    if let path = values["config"] {
      let file = try ConfigurationFile(path: path, from: place("config"), known: known)
      for flag in flags where values[flag.name] == nil {
        if let value = file.values[flag.name] { set(flag, value, .file(path)) }
      }
    }
    for flag in flags {
      if let text = values[flag.name] {
        if let fault = flag.fault(of: text) { throw invalid(flag.name, fault) }
      } else if let standard = flag.standard {
        set(flag, standard, .standard)
      }
    }
    if entry.operands == nil, let operand = operands.first {
      throw UsageError(
        "\(command) takes no operand, but \(operand) was given; "
          + "see pincluster \(command) --help")
    }
  }

  private mutating func set(_ flag: Flag, _ value: String, _ source: Source) {
    values[flag.name] = value
    sources[flag.name] = source
  }

  private mutating func readArguments(_ arguments: [String]) throws(UsageError) {
    // getopt_long needs a program name and C strings that stay valid; it reorders them.
    var strings = (["pincluster"] + arguments).map { strdup($0) } + [nil]
    let names = (flags.map(\.name) + ["help"]).map { strdup($0) }
    defer { for string in strings + names { free(string) } }
    var table = names.enumerated().map { index, name in
      cgetopt_flag(name: name, takes_value: index < flags.count && flags[index].takesValue)
    }
    table.append(cgetopt_flag(name: nil, takes_value: false))
    var isFirst = true
    var firstOperand: Int32 = 0
    reading: while true {
      var value: UnsafePointer<CChar>?
      let found = Int(
        cgetopt_next(
          Int32(strings.count - 1), &strings, table, isFirst, &value, &firstOperand))
      isFirst = false
      let text = value.map { String(cString: $0) } ?? ""
      switch found {
      case Int(CGETOPT_END): break reading
      case flags.indices: set(flags[found], flags[found].takesValue ? text : "true", .commandLine)
      case flags.count: wantsHelp = true
      default:
        let reason =
          switch found {
          case Int(CGETOPT_NO_VALUE): "needs a value"
          case Int(CGETOPT_SURPLUS_VALUE): "is a switch and takes no value"
          default: "is not a flag"
          }
        // A switch is named without the value that it got.
        let name =
          found == Int(CGETOPT_SURPLUS_VALUE) ? text.cut(at: UInt8(ascii: "=")).0 : text[...]
        throw UsageError("\(name) \(reason); see pincluster \(command) --help")
      }
    }
    for string in strings[Int(firstOperand)...] {
      if let string { operands.append(String(cString: string)) }
    }
  }

  private mutating func readEnvironment(_ known: [Flag]) {
    for flag in flags where flag.hasVariable && values[flag.name] == nil {
      if let value = Environment.value(flag.variable) { set(flag, value, .environment) }
    }
    for name in Environment.unknown(beside: Set(known.filter(\.hasVariable).map(\.variable))) {
      warnings.append("\(name) in the environment sets nothing; see pincluster --help")
    }
  }

  // MARK: Values

  /// The value of a flag with an integer, which always has one.
  func integer(_ name: String) -> Int { values[name].flatMap { Int($0) } ?? 0 }

  /// Whether a switch is on. A variable may hold true or false, 1 or 0.
  func isOn(_ name: String) -> Bool { ["1", "true"].contains(values[name]) }

  /// The value of a flag that must be given.
  func required(_ name: String) throws(UsageError) -> String {
    guard let value = values[name] else {
      throw UsageError("--\(name) is missing; see pincluster \(command) --help")
    }
    return value
  }

  /// The collection that `--collection` names.
  func collection() throws(UsageError) -> String {
    let id = try required("collection")
    guard Catalog.isCollectionID(id) else {
      throw invalid("collection", "not 1 to 64 characters of A-Z, a-z, 0-9, _ and -")
    }
    return id
  }

  /// The URL that `--url` gives; nil if it isn't given.
  func url() throws(UsageError) -> String? {
    guard let url = values["url"] else { return nil }
    guard HTTPClient.isURL(url) else { throw invalid("url", "not an http or https URL") }
    return url
  }

  // MARK: Mistakes

  /// Where the value of a flag was given, such as `--port on the command line`.
  func place(_ name: String) -> String {
    switch sources[name] {
    case .commandLine: "--\(name) on the command line"
    case .environment:
      "\(flags.first { $0.name == name }?.variable ?? name) in the environment"
    case .file(let path): "\"\(name)\" in \(path)"
    case .standard, nil: "--\(name)"
    }
  }

  /// The error that the value of a flag doesn't do: its place, its value, and the reason.
  func invalid(_ name: String, _ fault: String) -> UsageError {
    let isSecret = flags.first { $0.name == name }?.isSecret ?? false
    let value = values[name] ?? ""
    if sources[name] == .environment, name == "port", value.holds("://") {
      return UsageError(
        "\(place(name)) is \(value), which Kubernetes sets for a Service named pincluster: "
          + "set enableServiceLinks: false in the pod's spec, rename the Service, or give --port")
    }
    let shown = value.isEmpty ? "empty," : isSecret ? "secret and" : "\(value),"
    return UsageError("\(place(name)) is \(shown) \(fault)")
  }

  /// The list of flags in a command's help.
  static func help(_ flags: [Flag]) -> String {
    flags.map { flag in
      let left = "  --\(flag.name) \(flag.placeholder)"
      // Two spaces at least tell help2man where the help begins.
      let padding = String(repeating: " ", count: max(2, 30 - left.count))
      return left + padding + flag.fullHelp + (flag.hasVariable ? " [\(flag.variable)]" : "")
    }.joined(separator: "\n")
  }
}
