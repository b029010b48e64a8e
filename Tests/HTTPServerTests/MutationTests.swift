import HTTPServer
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct MutationTests {
  /// SplitMix64, so that a failure can be repeated.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }
  }

  @Test(arguments: Seeds.each(1...3))
  func survivesWhatIsAlmostHTTP(seed: UInt64) throws {
    let server = try TestServer {
      $0.maximumBodyBytes = 4096
      $0.maximumHeaderBytes = 2048
    }
    var random = Generator(state: seed)
    let models = [
      "GET /a?b HTTP/1.1\r\nHost: x\r\nAccept: a/b\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n0123456789",
      "PUT /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n0\r\nT: u\r\n\r\n",
      "HEAD http://h:1/ HTTP/1.0\r\nConnection: keep-alive\r\n folded\r\n\r\n",
      "CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n",
      "BREW * HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab",
    ]
    for _ in 0..<400 {
      var bytes = Array(
        (0..<3).map { _ in models.randomElement(using: &random) ?? "" }.joined().utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: at)
        case 2: bytes.insert(contentsOf: bytes[..<at].suffix(40), at: at)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
        }
      }
      let socket = try server.connect()
      let cut = Int.random(in: 0...bytes.count, using: &random)
      socket.send(Array(bytes[..<cut]))
      socket.send(Array(bytes[cut...]))
      socket.finishSending()
      let answer = socket.readToEnd()
      #expect(answer.isEmpty || answer.starts(with: Array("HTTP/1.".utf8)), "seed \(seed)")
      #expect(answer.firstRange(of: Array("<HTML>".utf8)) == nil)
    }
    #expect(server.eventually { server.server.openConnections == 0 })
  }
}
