/// What a client shows that is fed by events alone, and how it reads them.
public struct EventScreen: Sendable {
  /// One event as it came.
  public struct Event: Sendable {
    /// Its name.
    public var name = ""
    /// Its data.
    public var data = ""
    /// The id that stands with it.
    public var id: Int?
  }

  /// A cell's name: its row, column and, in a grid of its own, group, as JSON.
  public struct Cell: Hashable, Sendable {
    /// Its row.
    public let row: Int
    /// Its column.
    public let column: Int
    /// Its group as JSON text; nil in the view's own grid.
    public let group: String?
  }

  /// The annotations of the cells that aren't empty, as JSON text.
  public private(set) var cells: [Cell: [String]] = [:]
  /// The head of the last view.
  public private(set) var head: [TestJSON.Member] = []
  /// Features in the view, as the last event says.
  public private(set) var featureCount: Int?
  /// The id that was seen last.
  public private(set) var lastID: Int?
  /// The names of the events so far.
  public private(set) var names: [String] = []
  private var unread: [UInt8] = []

  /// Shows nothing.
  public init() {}

  /// All annotations as JSON text, sorted.
  public var annotations: [String] { cells.values.joined().sorted() }

  /// Takes bytes of a stream, which may end anywhere; what is wrong with them.
  public mutating func read(_ bytes: some Sequence<UInt8>) -> [String] {
    unread += bytes
    var faults: [String] = []
    while let end = unread.firstRange(of: [10, 10]) {
      let block = String(decoding: unread[..<end.lowerBound], as: UTF8.self)
      unread.removeSubrange(..<end.upperBound)
      faults += apply(EventScreen.event(block))
    }
    return faults
  }

  private static func event(_ block: String) -> Event {
    var event = Event()
    for line in block.split(separator: "\n") where !line.hasPrefix(":") {
      let value = line.drop { $0 != ":" }.dropFirst(2)
      switch line.prefix(while: { $0 != ":" }) {
      case "event": event.name = String(value)
      case "data": event.data += value
      case "id": event.id = Int(value)
      default: break
      }
    }
    return event
  }

  /// Shows an event; what is wrong with it.
  public mutating func apply(_ event: Event) -> [String] {
    lastID = event.id ?? lastID
    guard !event.data.isEmpty else { return [] }
    names.append(event.name)
    guard let data = try? TestJSON(parsing: event.data) else { return ["no JSON: \(event.data)"] }
    guard event.name == "view" || event.name == "cells" else { return [] }
    var faults: [String] = []
    if data["version"]?.int != event.id { faults.append("version and id differ") }
    featureCount = data["featureCount"]?.int
    if event.name == "view" {
      cells = [:]
      head = (data.members ?? []).filter { $0.key != "cells" }
    }
    var seen: Set<Cell> = []
    for cell in data["cells"]?.array ?? [] {
      guard let row = cell["row"]?.int, let column = cell["column"]?.int,
        let annotations = cell["annotations"]?.array
      else { return ["no cell: \(cell.text)"] }
      let key = Cell(row: row, column: column, group: cell["group"]?.text)
      if !seen.insert(key).inserted { faults.append("twice in an event: \(key)") }
      if event.name == "view", annotations.isEmpty { faults.append("empty in a view: \(key)") }
      cells[key] = annotations.isEmpty ? nil : annotations.map(\.text)
    }
    return faults
  }
}
