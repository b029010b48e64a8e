import Foundation

/// Reads Server-Sent Events from bytes as they come.
struct EventParser {
  struct Event: Equatable {
    var name: String
    var id: String?
    var data: String
  }

  private var line: [UInt8] = []
  private var isFirstLine = true
  private var wasReturn = false
  private var (name, data): (String, [String]) = ("", [])
  /// The last id that was sent, which holds until another one comes.
  private(set) var lastID: String?

  /// Takes bytes, and returns the events that they complete.
  mutating func take(_ bytes: Data) -> [Event] {
    var events: [Event] = []
    for byte in bytes {
      defer { wasReturn = byte == UInt8(ascii: "\r") }
      switch byte {
      case UInt8(ascii: "\n") where wasReturn: continue
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if let event = endLine() { events.append(event) }
      default: line.append(byte)
      }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    defer { (line, isFirstLine) = ([], false) }
    if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    guard !line.isEmpty else {
      defer { (name, data) = ("", []) }
      guard !data.isEmpty else { return nil }
      return Event(
        name: name.isEmpty ? "message" : name, id: lastID, data: data.joined(separator: "\n"))
    }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "event": name = text
    case "data": data.append(text)
    case "id": lastID = text
    default: break
    }
    return nil
  }
}
