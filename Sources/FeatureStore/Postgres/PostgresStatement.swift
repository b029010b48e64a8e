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
