import CLibPQ
import Glibc
import Threading

/// A connection to PostgreSQL. Not `Sendable`: one owner at a time.
///
/// Queries run by libpq's asynchronous interface, each call within a limit of time, and several of them share a
/// round trip (https://www.postgresql.org/docs/15/libpq-pipeline-mode.html). Once something is wrong with the
/// connection itself it stays ``isLost``.
final class PostgresConnection {
  let address: PostgresAddress
  /// Whether it is of no use any more.
  private(set) var isLost = false
  /// The notifications since the last ``takeNotices()``, without this connection's own.
  private var notices = PostgresNotices()
  private let pointer: OpaquePointer
  private var prepared: Set<String> = []  // Characters: names of statements of the program

  /// Connects to a host and prepares the session.
  ///
  /// - Parameters:
  ///   - host: the parameters of libpq with which it is reached.
  ///   - address: what it belongs to, as named in errors.
  ///   - schema: the schema of the tables.
  ///   - seconds: the limit of time.
  init(
    to host: PostgresHost, of address: PostgresAddress, schema: String, within seconds: Double
  ) throws(StoreError) {
    self.address = address
    pointer = try PostgresConnection.connect(host, address, seconds)
    PQsetnonblocking(pointer, 1)
    PQsetNoticeProcessor(pointer, { _, _ in }, nil)
    try run(
      [PostgresStatement.once(PostgresConnection.session).with { $0.add(SQLText.quoted(schema)) }],
      within: seconds)
  }

  deinit { PQfinish(pointer) }

  /// Its descriptor, which can be read when there are notifications.
  var descriptor: Int32 { PQsocket(pointer) }

  // MARK: Queries

  /// Takes a query that is to be run.
  typealias Sender = (PostgresQuery) throws(StoreError) -> Void

  /// Runs queries in one round trip: each after the one before, and none after one that fails, whose error is thrown.
  ///
  /// - Parameters:
  ///   - seconds: the longest time in which nothing comes from the server.
  ///   - sinks: take the rows of queries, by their numbers.
  @discardableResult
  func run(
    _ queries: [PostgresQuery], within seconds: Double = 10, sinks: [Int: any RowSink] = [:]
  ) throws(StoreError) -> [PostgresResult] {
    try run(within: seconds, sinks: sinks) { (send) throws(StoreError) in
      for query in queries { try send(query) }
    }
  }

  /// Runs a statement that isn't worth keeping, with one text as its parameter or none.
  @discardableResult
  func once(
    _ sql: String, _ parameter: String? = nil, within seconds: Double = 10
  ) throws(StoreError) -> PostgresResult? {
    let query = PostgresStatement.once(sql).with { if let parameter { $0.add(parameter) } }
    return try run([query], within: seconds).first
  }

  /// Ends the transaction that is open, if there is one, without its changes.
  func rollBack() {
    if !isLost { _ = try? run([PostgresQueries.rollback.with()]) }
  }

  /// Does the same with queries that are sent as they are made, and not kept.
  @discardableResult
  func run(
    within seconds: Double = 10, sinks: [Int: any RowSink] = [:],
    _ make: (Sender) throws(StoreError) -> Void
  ) throws(StoreError) -> [PostgresResult] {
    guard !isLost else { throw .lost(nil, address) }
    guard PQenterPipelineMode(pointer) == 1 else { throw lose() }
    var answers = Answers()
    var failure: StoreError?
    do {
      try make { (query) throws(StoreError) in
        try send(query, &answers)
        // A long query is sent before the next one is made; others go together.
        guard query.parameters.bytes.count >= PostgresConnection.longQuery else { return }
        try flush(within: seconds)
      }
    } catch {
      if isLost { throw error }
      failure = error
    }
    guard PQpipelineSync(pointer) == 1 else { throw lose() }
    try receive(&answers, sinks, within: seconds)
    guard PQexitPipelineMode(pointer) == 1 else { throw lose() }
    if let error = answers.error {
      // Those that were to be prepared after it weren't.
      for command in answers.commands.dropFirst(answers.failed) {
        if case .preparation(let name) = command { prepared.remove(name) }
      }
      throw error
    }
    if let failure { throw failure }
    return answers.results.compactMap { $0 }
  }

  /// The size of a query that the server may as well begin with, in bytes.
  private static let longQuery = 16 << 10

  private enum Command {
    case preparation(of: String)
    case query(Int)
  }

  private struct Answers {
    var commands: [Command] = []
    var results: [PostgresResult?] = []
    /// The number of the command whose results come next.
    var next = 0
    var error: StoreError?
    /// The number of the command that has failed.
    var failed = Int.max

    /// The number of the query whose results come next; nil for anything else.
    var query: Int? {
      guard next < commands.count, case .query(let number) = commands[next] else { return nil }
      return number
    }
  }

  private func send(_ query: PostgresQuery, _ answers: inout Answers) throws(StoreError) {
    let statement = query.statement
    if statement.name.isEmpty || prepared.insert(statement.name).inserted {
      let kinds = query.parameters.kinds.map(\.rawValue)
      guard
        PQsendPrepare(pointer, statement.name, statement.sql, Int32(kinds.count), kinds) == 1
      else { throw lose() }
      answers.commands.append(.preparation(of: statement.name))
    }
    guard send(query) else { throw lose() }
    answers.commands.append(.query(answers.results.count))
    answers.results.append(nil)
  }

  private func send(_ query: PostgresQuery) -> Bool {
    let parameters = query.parameters
    let lengths = parameters.ranges.map { Int32(clamping: $0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: lengths.count)
    return parameters.bytes.withUnsafeBytes { bytes in
      // An empty value needs an address, too: without one it would be NULL.
      let empty: StaticString = ""
      let values: [UnsafePointer<CChar>?] = parameters.ranges.map { range in
        range.map { range in
          guard !range.isEmpty, let base = bytes.baseAddress else {
            return UnsafeRawPointer(empty.utf8Start).assumingMemoryBound(to: CChar.self)
          }
          return (base + range.lowerBound).assumingMemoryBound(to: CChar.self)
        }
      }
      return PQsendQueryPrepared(
        pointer, query.statement.name, Int32(lengths.count), values, lengths, formats, 1) == 1
    }
  }

  /// Sends waiting data, and takes answers that come meanwhile, as the server may wait for that.
  private func flush(within seconds: Double) throws(StoreError) {
    let deadline = MonotonicTime.now + UInt(seconds * 1e9)
    while true {
      let state = PQflush(pointer)
      if state == 0 { return }
      guard state > 0,
        PostgresConnection.wait(descriptor, Int16(POLLIN | POLLOUT), until: deadline),
        PQconsumeInput(pointer) == 1
      else { throw lose() }
      collectNotices()
    }
  }

  private func receive(
    _ answers: inout Answers, _ sinks: [Int: any RowSink], within seconds: Double
  ) throws(StoreError) {
    while true {
      try flush(within: seconds)
      while PQisBusy(pointer) == 0 {
        guard try take(&answers, sinks) else { continue }
        collectNotices()
        return
      }
      let deadline = MonotonicTime.now + UInt(seconds * 1e9)
      guard PostgresConnection.wait(descriptor, Int16(POLLIN), until: deadline),
        PQconsumeInput(pointer) == 1
      else { throw lose() }
      // They would pile up in libpq.
      collectNotices()
    }
  }

  /// Takes the next result; returns whether it was the last.
  private func take(_ answers: inout Answers, _ sinks: [Int: any RowSink]) throws(StoreError)
    -> Bool
  {
    let number = answers.query
    let sink = number.flatMap { sinks[$0] }
    guard let result = PQgetResult(pointer) else {
      // The end of a command's results.
      if PQstatus(pointer) == CONNECTION_BAD { throw lose() }
      answers.next += 1
      // Before any of its rows is looked at, which would gather them all.
      if let query = answers.query, sinks[query] != nil { PQsetSingleRowMode(pointer) }
      return false
    }
    switch PQresultStatus(result) {
    case PGRES_PIPELINE_SYNC:
      PQclear(result)
      return true
    case PGRES_SINGLE_TUPLE:
      let row = PostgresResult(result)
      if answers.error == nil {
        do { try sink?.take(row[0]) } catch { answers.error = error }
      }
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
      let kept = PostgresResult(result)
      if let number { answers.results[number] = kept }
      if let sink, answers.error == nil {
        do throws(StoreError) {
          for row in 0..<kept.count { try sink.take(kept[row]) }
        } catch { answers.error = error }
      }
    case PGRES_PIPELINE_ABORTED: PQclear(result)
    default:
      let error = StoreError(result, on: address)
      if answers.error == nil { (answers.error, answers.failed) = (error, answers.next) }
      PQclear(result)
      if PQstatus(pointer) == CONNECTION_BAD {
        isLost = true
        throw error.asLoss
      }
    }
    return false
  }

  private func lose() -> StoreError {
    isLost = true
    return .lost(pointer, address)
  }

  // MARK: Notifications

  /// The most reads from the socket, each of some 16 kB, for one call of ``takeNotices()``.
  private static let mostReads = 64

  /// Takes the notifications by others since the last call.
  func takeNotices() throws(StoreError) -> PostgresNotices {
    var reads = 0
    repeat {
      guard !isLost, PQconsumeInput(pointer) == 1 else { throw lose() }
      reads += 1
    } while collectNotices() && reads < PostgresConnection.mostReads
    defer { notices = PostgresNotices() }
    return notices
  }

  /// Keeps what the notifications tell that have come. Returns whether there were any.
  @discardableResult
  private func collectNotices() -> Bool {
    var hasAny = false
    while let notification = PQnotifies(pointer) {
      hasAny = true
      if notification.pointee.be_pid != PQbackendPID(pointer) {
        notices.add(notification.pointee.extra)
      }
      PQfreemem(notification)
    }
    return hasAny
  }

  // MARK: Copying

  /// Hands over each row of a `COPY … TO STDOUT (FORMAT binary)`, valid during the call.
  func copy(
    _ sql: String, within seconds: Double = 60,
    _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard !isLost, PQsendQuery(pointer, sql) == 1 else { throw lose() }
    try flush(within: seconds)
    try waitForResult(within: seconds)
    guard let begun = PQgetResult(pointer) else { throw lose() }
    let isCopying = PQresultStatus(begun) == PGRES_COPY_OUT
    let failure = isCopying ? nil : StoreError(begun, on: address)
    PQclear(begun)
    if let failure {
      drain()
      throw failure
    }
    while true {
      var row: UnsafeMutablePointer<CChar>?
      let count = PQgetCopyData(pointer, &row, 1)
      if count > 0, let row {
        defer { PQfreemem(row) }
        do { try body(UnsafeRawBufferPointer(start: row, count: Int(count))) } catch {
          // The rest of it would have to be read.
          isLost = true
          throw error
        }
      } else if count == 0 {
        guard
          PostgresConnection.wait(
            descriptor, Int16(POLLIN), until: MonotonicTime.now + UInt(seconds * 1e9)),
          PQconsumeInput(pointer) == 1
        else { throw lose() }
      } else {
        break
      }
    }
    try waitForResult(within: seconds)
    guard let ended = PQgetResult(pointer) else { throw lose() }
    let error = PQresultStatus(ended) == PGRES_COMMAND_OK ? nil : StoreError(ended, on: address)
    PQclear(ended)
    drain()
    if let error { throw error }
  }

  private func waitForResult(within seconds: Double) throws(StoreError) {
    let deadline = MonotonicTime.now + UInt(seconds * 1e9)
    while PQisBusy(pointer) == 1 {
      guard PostgresConnection.wait(descriptor, Int16(POLLIN), until: deadline),
        PQconsumeInput(pointer) == 1
      else { throw lose() }
    }
  }

  private func drain() {
    while let result = PQgetResult(pointer) { PQclear(result) }
  }
}
