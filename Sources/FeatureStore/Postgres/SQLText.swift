internal import Texts

/// Names and values as parts of a statement, where they can't be parameters.
enum SQLText {
  /// A name.
  static func quoted(_ name: String) -> String { "\"" + doubled(name, UInt8(ascii: "\"")) + "\"" }

  /// The name of something in a schema.
  static func quoted(_ name: String, in schema: String) -> String {
    quoted(schema) + "." + quoted(name)
  }

  /// A text.
  static func literal(_ text: String) -> String { "'" + doubled(text, UInt8(ascii: "'")) + "'" }

  /// By bytes, as PostgreSQL reads them: whatever stands beside a quote, it is one.
  private static func doubled(_ text: String, _ quote: UInt8) -> String {
    let twice = String(decoding: [quote, quote], as: UTF8.self)
    return text.escaped { $0 == quote ? twice : nil }
  }
}
