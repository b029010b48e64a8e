import CGetopt
import Glibc

/// The values of a command's flags, from the command line (parsed by getopt_long) or the environment.
struct Options {
  /// A flag that takes a value, or a switch.
  struct Flag {
    var name: String
    /// Stands for the value in the help; empty for a switch.
    var placeholder: String
    var help: String
    /// Whether the environment variable PINCLUSTER_NAME also sets it.
    var hasVariable: Bool

    init(_ name: String, _ placeholder: String, _ help: String, hasVariable: Bool = true) {
      (self.name, self.placeholder, self.help) = (name, placeholder, help)
      self.hasVariable = hasVariable
    }

    /// A flag without a value.
    init(switch name: String, _ help: String) { self.init(name, "", help) }

    /// Whether it takes a value.
    var takesValue: Bool { !placeholder.isEmpty }

    /// The environment variable, such as `PINCLUSTER_MAX_BODY_BYTES` for `max-body-bytes`.
    var variable: String {
      "PINCLUSTER_" + name.uppercased().split(separator: "-").joined(separator: "_")
    }
  }

  private(set) var values: [String: String] = [:]
  private(set) var operands: [String] = []
  private(set) var wantsHelp = false

  /// Parses the arguments after the command's name. Flags may precede and follow operands.
  init(_ arguments: [String], flags: [Flag], command: String) throws(UsageError) {
    for flag in flags where flag.hasVariable {
      if let value = getenv(flag.variable) { values[flag.name] = String(cString: value) }
    }
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
      case flags.indices: values[flags[found].name] = flags[found].takesValue ? text : "true"
      case flags.count: wantsHelp = true
      default:
        let reason = found == Int(CGETOPT_NO_VALUE) ? "needs a value" : "is not a flag"
        throw UsageError(message: "\(text) \(reason); see pincluster \(command) --help")
      }
    }
    for string in strings[Int(firstOperand)...] {
      if let string { operands.append(String(cString: string)) }
    }
  }

  /// The integer value of a flag; nil if the flag is not set.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = values[name] else { return nil }
    guard let value = Int(text), range.contains(value) else {
      throw UsageError(
        message: "--\(name) is \(text), not an integer from "
          + "\(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// Whether a switch is on. A variable may hold true or false, 1 or 0.
  func isOn(_ name: String) throws(UsageError) -> Bool {
    switch values[name] {
    case nil, "", "0", "false": return false
    case "1", "true": return true
    case let text?:
      throw UsageError(message: "--\(name) is \(text), neither true nor false")
    }
  }

  /// The value of `max-feature-bytes`, which several commands take.
  func featureBytes() throws(UsageError) -> Int? {
    try integer("max-feature-bytes", in: 1024...1_073_741_824)
  }

  /// The list of flags in a command's help.
  static func help(_ flags: [Flag]) -> String {
    flags.map { flag in
      let left = "  --\(flag.name) \(flag.placeholder)"
      let padding = String(repeating: " ", count: max(1, 30 - left.count))
      return left + padding + flag.help + (flag.hasVariable ? " [\(flag.variable)]" : "")
    }.joined(separator: "\n")
  }
}
