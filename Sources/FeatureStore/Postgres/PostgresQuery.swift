/// A run of a statement.
struct PostgresQuery {
  let statement: PostgresStatement
  let parameters: PostgresParameters
}
