import HTTPServer
import TestSupport
import Threading

/// Bytes on a connection to a server that answers with what was sent, under `/s` as a stream: answers are well-formed,
/// each as long as it says, and no connection stays open.
final class FuzzHTTP: Sendable {
  static let shared = FuzzHTTP()

  private let server: HTTPServer?
  private let uses = Locked<UInt32>(0)

  private init() {
    var configuration = HTTPServer.Configuration()
    (configuration.port, configuration.threads) = (0, 1)
    (configuration.maximumBodyBytes, configuration.maximumHeaderBytes) = (4096, 2048)
    (configuration.idleTimeout, configuration.paceSeconds) = (5, 5)
    server = try? HTTPServer(configuration: configuration) { request, reply in
      let body = request.body.withUnsafeBytes { Array($0) }
      var response = HTTPResponse(
        status: 200, headers: [(name: "Content-Type", value: "text/plain")],
        body: Array("\(request.method) \(request.target) ".utf8) + body)
      if request.path.hasPrefix("/s") {
        response.stream = { stream in
          for _ in 0..<3 { stream.send(body) }
          stream.finish()
        }
      }
      reply(response)
    }
    try? server?.start()
    precondition(server != nil)
  }

  func feed(_ input: UnsafeRawBufferPointer) throws {
    let bytes = Array(input)
    let cut = bytes.isEmpty ? 0 : Int(UInt(bitPattern: bytes.hashOfBytes) % UInt(bytes.count))
    // From one of many addresses, as a port has to rest when it was used.
    let number = uses.withLock { uses in
      uses &+= 1
      return uses
    }
    guard
      let connection = try? TestConnection(
        port: UInt16(server?.port ?? 0), timeout: 20, from: 0x1_0001 + number % 0xFFFF)
    else { throw FuzzFinding(description: "no connection") }
    for part in [bytes[..<cut], bytes[cut...]] where !part.isEmpty { connection.send(Array(part)) }
    connection.finishSending()
    let answer = connection.readToEnd()
    try FuzzFinding.unless(!connection.hasTimedOut, "the connection has no end")
    try check(answer[...], to: bytes)
  }

  /// Answers follow each other without gaps. The last may be cut off, as what isn't HTTP may be by a reset.
  private func check(_ answer: ArraySlice<UInt8>, to bytes: [UInt8]) throws {
    var rest = answer
    while !rest.isEmpty {
      guard let end = rest.firstRange(of: [13, 10, 13, 10]) else { return }
      let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
      let words = (lines.first ?? "").split(separator: " ")
      guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]),
        (100...599).contains(status)
      else { throw FuzzFinding(description: "not an answer: \(lines.first ?? "")") }
      rest = rest[end.upperBound...]
      guard status >= 200, ![204, 304].contains(status) else { continue }
      try FuzzFinding.unless(status != 500, "an error of the server")
      let fields = lines.map { $0.lowercased() }
      let length = fields.first { $0.hasPrefix("content-length:") }
      let isInChunks = fields.contains("transfer-encoding: chunked")
      let count = length.flatMap { Int($0.dropFirst(16)) }
      // A stream to a client that doesn't know chunks ends with the connection; the answer to its HEAD has no length.
      let mayHaveNone = fields.contains("connection: close") || bytes.contains("HEAD".utf8)
      try FuzzFinding.unless(
        count != nil || isInChunks || mayHaveNone, "an answer without a length")
      // The answer to HEAD has none of its body.
      if rest.starts(with: "HTTP/1.".utf8) || rest.isEmpty { continue }
      if isInChunks {
        guard let end = try FuzzHTTP.endOfChunks(rest) else { return }
        rest = rest[end...]
        continue
      }
      guard let count else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Where a body in chunks ends; nil if it is cut off.
  private static func endOfChunks(_ body: ArraySlice<UInt8>) throws -> Int? {
    var rest = body
    while let line = rest.firstRange(of: [13, 10]) {
      guard let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16)
      else { throw FuzzFinding(description: "a chunk without a size") }
      rest = rest[line.upperBound...].dropFirst(size)
      guard rest.count >= 2 else { return nil }
      try FuzzFinding.unless(rest.starts(with: [13, 10]), "a chunk is not as long as it says")
      rest = rest.dropFirst(2)
      if size == 0 { return rest.startIndex }
    }
    return nil
  }
}
