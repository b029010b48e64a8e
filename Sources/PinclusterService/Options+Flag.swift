import GeoFormats
import Texts

extension Options {
  /// A flag of a command: what the help, the completions and the configuration file know of it.
  struct Flag: Sendable {
    /// The kind of a flag's values.
    enum Kind: Sendable, Equatable {
      case text
      /// Texts with commas between them; in a configuration file also an array of strings.
      case list
      case integer(ClosedRange<Int>)
      case choice([String])
      case file
      case directory
      /// No value on the command line; true or false elsewhere.
      case toggle
    }

    /// The name without the dashes before it, which is also its name in a configuration file.
    let name: String
    /// Stands for the value in the help; empty for a switch.
    let placeholder: String
    let help: String
    let kind: Kind
    /// The value of a flag that isn't given.
    let standard: String?
    /// The help's words for the default, where these say more than its value.
    let unset: String?
    /// Whether the environment variable PINCLUSTER_NAME and the configuration file also set it.
    let hasVariable: Bool
    /// Whether no message may show its value.
    let isSecret: Bool

    /// Creates a flag.
    ///
    /// - Parameter kind: that of the placeholder if nil: files for `FILE`, folders for `DIR`, else texts.
    init(
      _ name: String, _ placeholder: String, _ help: String, _ kind: Kind? = nil,
      standard: String? = nil, unset: String? = nil, hasVariable: Bool = true,
      isSecret: Bool = false
    ) {
      (self.name, self.placeholder, self.help) = (name, placeholder, help)
      self.kind =
        kind ?? (placeholder == "FILE" ? .file : placeholder == "DIR" ? .directory : .text)
      (self.standard, self.unset) = (standard, unset)
      (self.hasVariable, self.isSecret) = (hasVariable, isSecret)
    }

    /// A flag of a single run, which neither a variable nor a configuration file sets.
    static func once(
      _ name: String, _ placeholder: String, _ help: String, _ kind: Kind? = nil,
      standard: String? = nil, unset: String? = nil
    ) -> Flag {
      Flag(name, placeholder, help, kind, standard: standard, unset: unset, hasVariable: false)
    }

    /// A flag with an integer.
    init(
      _ name: String, _ placeholder: String, _ help: String, _ range: ClosedRange<Int>,
      standard: Int, unset: String? = nil
    ) {
      self.init(
        name, placeholder, help, .integer(range), standard: "\(standard)", unset: unset)
    }

    /// A flag without a value.
    init(switch name: String, _ help: String, hasVariable: Bool = true) {
      self.init(name, "", help, .toggle, standard: "false", hasVariable: hasVariable)
    }

    /// The largest feature, which several commands take.
    static let maximumFeatureBytes = Flag(
      "max-feature-bytes", "N", "largest feature, in bytes", 1024...1_073_741_824,
      standard: FeatureReader.usualLength)

    /// Whether it takes a value.
    var takesValue: Bool { kind != .toggle }

    /// The environment variable, such as `PINCLUSTER_MAX_BODY_BYTES` for `max-body-bytes`.
    var variable: String {
      "PINCLUSTER_"
        // Characters: names of flags
        + name.uppercased().parts(separatedBy: UInt8(ascii: "-")).joined(separator: "_")
    }

    /// The error of a value, as the rest of a sentence; nil if there is none.
    func fault(of text: String) -> String? {
      switch kind {
      case .integer(let range):
        if let value = Int(text), range.contains(value) { return nil }
        return "not an integer from \(range.lowerBound) to \(range.upperBound)"
      case .choice(let names):
        if names.contains(text) { return nil }
        return "not \(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
      case .toggle:
        return ["1", "true", "", "0", "false"].contains(text) ? nil : "neither true nor false"
      case .text, .list: return nil
      // A variable without a value is a mistake of what sets it, and security may depend on the file.
      case .file, .directory: return text.isEmpty ? "which is no path; leave it out for none" : nil
      }
    }

    /// The help with what holds while the flag isn't given.
    var fullHelp: String {
      guard takesValue, let usual = unset ?? standard else { return help }
      return "\(help) (\(usual))"
    }
  }
}
