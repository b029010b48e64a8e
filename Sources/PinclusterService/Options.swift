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

  /// Reads the arguments that follow the command's name.
  init(_ arguments: [String], flags: [Flag], command: String) throws(UsageError) {
    for flag in flags where flag.hasVariable {
      if let value = getenv(flag.variable) { values[flag.name] = String(cString: value) }
    }
    // getopt_long wants a program name, C strings that outlive it, and a table ended by zeros.
    var strings: [UnsafeMutablePointer<CChar>?] = (["pincluster"] + arguments).map { strdup($0) }
    strings.append(nil)
    let names = flags.map { strdup($0.name) } + [strdup("help")]
    defer { for string in strings + names { free(string) } }
    var table: [option] = []
    for index in names.indices {
      let takesValue = index < flags.count ? required_argument : no_argument
      table.append(
        option(name: names[index], has_arg: takesValue, flag: nil, val: Int32(256 + index)))
    }
    table.append(option())
    optind = 0
    opterr = 0
    while true {
      // The '+' would stop at the first operand; without it flags may follow operands.
      let found = getopt_long(Int32(strings.count - 1), &strings, ":h", table, nil)
      if found == -1 { break }
      try take(found, flags, command, at: strings)
    }
    for index in Int(optind)..<max(Int(optind), strings.count - 1) {
      if let string = strings[index] { operands.append(String(cString: string)) }
    }
  }

  private mutating func take(
    _ found: Int32, _ flags: [Flag], _ command: String, at strings: [UnsafeMutablePointer<CChar>?]
  ) throws(UsageError) {
    let index = Int(found) - 256
    if flags.indices.contains(index) {
      values[flags[index].name] = optarg.map { String(cString: $0) } ?? ""
    } else if index == flags.count || found == Int32(UInt8(ascii: "h")) {
      wantsHelp = true
    } else {
      let place = Int(optind) - 1
      let argument = strings.indices.contains(place) ? strings[place] : nil
      let text = argument.map { String(cString: $0) } ?? ""
      let reason = found == Int32(UInt8(ascii: ":")) ? "needs a value" : "is unknown"
      throw UsageError(message: "\(text) \(reason); see pincluster \(command) --help")
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
