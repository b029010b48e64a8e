/// Takes the rows of a query, as they come.
protocol RowSink: AnyObject {
  func take(_ row: PostgresResult.Row) throws(StoreError)
}
