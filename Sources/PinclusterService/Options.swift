import CGetopt
import Glibc

/// A wrong command line: a line for standard error.
struct UsageError: Error {
  var message: String
}

/// A flag that takes a value; also to be given as an environment variable.
struct Flag {
  var name: String
  var placeholder: String
  var help: String
  /// Whether PINCLUSTER_NAME stands in for it.
  var hasVariable = true

  /// `max-body-bytes` as `PINCLUSTER_MAX_BODY_BYTES`.
  var variable: String {
    "PINCLUSTER_" + name.uppercased().split(separator: "-").joined(separator: "_")
  }
}

/// The values of a command's flags, from the command line (by getopt_long) or the environment.
struct Options {
  private(set) var values: [String: String] = [:]
  private(set) var operands: [String] = []
  private(set) var wantsHelp = false

  /// Reads the arguments that follow the command's name. Flags may stand before and after operands.
  init(_ arguments: [String], flags: [Flag], command: String) throws(UsageError) {
    for flag in flags where flag.hasVariable {
      if let value = getenv(flag.variable) { values[flag.name] = String(cString: value) }
    }
    // getopt_long wants a program name and C strings that outlive it, and reorders them.
    var strings = (["pincluster"] + arguments).map { strdup($0) } + [nil]
    let names = (flags.map(\.name) + ["help"]).map { strdup($0) }
    defer { for string in strings + names { free(string) } }
    var table = names.enumerated().map { index, name in
      cgetopt_flag(name: name, takes_value: index < flags.count)
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
      case flags.indices: values[flags[found].name] = text
      case flags.count: wantsHelp = true
      default:
        let reason = found == Int(CGETOPT_NO_VALUE) ? "needs a value" : "is unknown"
        throw UsageError(message: "\(text) \(reason); see pincluster \(command) --help")
      }
    }
    for string in strings[Int(firstOperand)...] {
      if let string { operands.append(String(cString: string)) }
    }
  }

  /// An integer within a range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = values[name] else { return nil }
    guard let value = Int(text), range.contains(value) else {
      throw UsageError(
        message: "--\(name) is \(text), not an integer within "
          + "\(range.lowerBound)…\(range.upperBound)")
    }
    return value
  }

  /// The help's list of flags.
  static func help(_ flags: [Flag]) -> String {
    flags.map { flag in
      let left = "  --\(flag.name) \(flag.placeholder)"
      let padding = String(repeating: " ", count: max(1, 30 - left.count))
      return left + padding + flag.help + (flag.hasVariable ? " [\(flag.variable)]" : "")
    }.joined(separator: "\n")
  }
}
