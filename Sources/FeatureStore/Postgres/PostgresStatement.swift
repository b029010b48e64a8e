internal import Texts

/// A statement that a connection prepares when it first runs it.
struct PostgresStatement: Sendable {
  /// Its name, under which the connection keeps it; empty if it is prepared each time.
  let name: String
  let sql: String

  init(_ name: String, _ sql: String) { (self.name, self.sql) = (name, sql) }

  /// A statement that is run once, or seldom.
  static func once(_ sql: String) -> PostgresStatement { PostgresStatement("", sql) }

  /// A run of it.
  func with(_ fill: (inout PostgresParameters) -> Void = { _ in }) -> PostgresQuery {
    var parameters = PostgresParameters()
    fill(&parameters)
    return PostgresQuery(statement: self, parameters: parameters)
  }
}

/// A run of a statement.
struct PostgresQuery {
  let statement: PostgresStatement
  let parameters: PostgresParameters
}

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
