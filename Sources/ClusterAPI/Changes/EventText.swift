import GeoFormats

/// The bytes of server-sent events (the HTML standard, section 9.2).
enum EventText {
  /// The beginning of a stream: the milliseconds after which a client reconnects.
  static let opening = Array("retry: 2000\n\n".utf8)

  /// An event. JSON without white space has no line breaks, so the data is one line.
  static func event(_ name: StaticString, version: Int64, _ data: borrowing JSONWriter) -> [UInt8] {
    let head = "event: \(name)\nid: \(version)\ndata: "
    return data.withBytes { data in
      var event: [UInt8] = []
      event.reserveCapacity(head.utf8.count + data.count + 2)
      event += head.utf8
      event += data
      event += [0x0A, 0x0A]
      return event
    }
  }

  /// The version for a client that is up to date: no event, but the id with which it reconnects.
  static func mark(version: Int64) -> [UInt8] { Array("id: \(version)\n\n".utf8) }

  /// The version with a comment that keeps the connection alive.
  static func keepAlive(version: Int64) -> [UInt8] {
    Array(": keep-alive\nid: \(version)\n\n".utf8)
  }

  /// The last event after the collection was dropped.
  static let gone = Array("event: gone\ndata: {}\n\n".utf8)

  /// The last event of a viewport that can't be answered any more. Its data is the body of the error.
  static func problem(_ json: [UInt8]) -> [UInt8] {
    Array("event: problem\ndata: ".utf8) + json + [0x0A, 0x0A]
  }
}
