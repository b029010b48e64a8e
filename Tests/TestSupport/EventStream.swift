/// A client that watches a view: its connection, and what it shows.
public final class EventStream {
  /// What it shows.
  public private(set) var screen: EventScreen
  /// The head of the answer; that of an error holds the whole answer.
  public let head: TestResponse
  /// What was wrong with what came.
  public private(set) var faults: [String] = []
  private let connection: TestConnection

  /// Asks to watch; with what an earlier client showed, it goes on from there.
  public init(
    port: UInt16, path: String, resuming screen: EventScreen? = nil, timeout: Int = 60
  ) throws {
    connection = try TestConnection(port: port, timeout: timeout)
    self.screen = screen ?? EventScreen()
    let last = screen?.lastID.map { [("Last-Event-ID", String($0))] } ?? []
    try connection.write(
      TestConnection.request("GET", path, headers: [("Accept", "text/event-stream")] + last))
    head = try connection.receiveHead()
  }

  /// Waits for the next bytes and shows them; false at the end of the stream.
  @discardableResult
  public func read() throws -> Bool {
    guard let chunk = try connection.receiveChunk() else { return false }
    faults += screen.read(chunk)
    return true
  }

  /// Reads until a version has come.
  public func read(toVersion version: Int) throws {
    while (screen.lastID ?? -1) < version {
      guard try read() else { throw TestClient.Failure.noAnswer([]) }
    }
  }
}
