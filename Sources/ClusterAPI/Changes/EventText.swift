import GeoFormats

/// Server-sent events as bytes (the HTML standard, section 9.2).
enum EventText {
  /// What a stream begins with: milliseconds until a client whose connection broke comes again.
  static let opening = Array("retry: 2000\n\n".utf8)

  /// An event. Its data has no line breaks, as JSON without white space hasn't.
  static func event(_ name: StaticString, version: Int64, _ data: borrowing JSONWriter) -> [UInt8] {
    let head = "event: \(name)\nid: \(version)\ndata: "
    return data.withBytes { data in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(head.utf8.count + data.count + 2)
      bytes += head.utf8
      bytes += data
      bytes += [0x0A, 0x0A]
      return bytes
    }
  }

  /// Where a client is that has nothing new to see: no event, but what it will come again with.
  static func mark(version: Int64) -> [UInt8] { Array("id: \(version)\n\n".utf8) }

  /// As above, and a sign of life.
  static func keepAlive(version: Int64) -> [UInt8] {
    Array(": keep-alive\nid: \(version)\n\n".utf8)
  }

  /// The last event where the collection was dropped.
  static let gone = Array("event: gone\ndata: {}\n\n".utf8)

  /// The last event where the view can't be answered any more; the data is that of an error's answer.
  static func problem(_ json: [UInt8]) -> [UInt8] {
    Array("event: problem\ndata: ".utf8) + json + [0x0A, 0x0A]
  }
}
