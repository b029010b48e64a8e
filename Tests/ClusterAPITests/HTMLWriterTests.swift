import TestSupport
import Testing

@testable import ClusterAPI

/// Values of features as pages show them.
@Suite(.timeLimit(.minutes(10))) struct HTMLWriterTests {
  private static func html(_ json: String, atMost most: Int = 4000) -> String {
    var html = HTMLWriter()
    Array(json.utf8).withUnsafeBytes { html.value($0, atMost: most) }
    return String(decoding: html.bytes, as: UTF8.self)
  }

  @Test func `numbers are in groups if they are no years`() {
    for (json, wanted) in [
      ("0", "0"), ("1987", "1987"), ("-9999", "-9999"), ("10000", "10,000"),
      ("-1234567.1234567", "-1,234,567.1234567"), ("123456e3", "123456e3"),
      ("12345.5E-7", "12345.5E-7"), ("999999999999999999", "999,999,999,999,999,999"),
      ("123456789012345678901", "123,456,789,012,345,678,901"), ("12345.6e7", "12345.6e7"),
      ("true", "true"), ("null", "null"),
    ] {
      #expect(Self.html(json) == wanted)
    }
  }

  @Test func `only addresses of the web are links`() {
    let rel = "rel=\"nofollow noopener noreferrer\""
    for text in ["http://a.example/?b=1&c='2'", "HTTPS://ä.example/é#f", "https://a\\u002eexample"]
    {
      let page = Self.html("\"\(text)\"")
      #expect(
        page.hasPrefix("<a \(rel) href=\"h") || page.hasPrefix("<a \(rel) href=\"H"), "\(page)")
      #expect(!page.contains("'") && page.ranges(of: "\"").count == 4, "\(page)")
    }
    for text in [
      "javascript:alert(1)", "java\\nscript:1", " https://a.example", "https://a.example b",
      "httpss://a",
      "data:text/html,x", "//a.example", "https:/a", "https://a\\\"b", "https://a<b",
      "https://a\\nb",
      "ftp://a.example", "https://" + String(repeating: "a", count: 2000), "\\u0000https://a",
    ] {
      let page = Self.html("\"\(text)\"")
      #expect(!page.contains("href") && !page.contains("<"), "\(page)")
    }
  }

  @Test func `what is long is cut between characters and escapes`() throws {
    var random = SeededGenerator(seed: 7)
    let pieces = [
      ("a", "a"), ("ß", "ß"), ("漢", "漢"), ("🐘", "🐘"), ("\\n", "\n"), ("\\\\", "\\"),
      ("\\u00e9", "é"),
      ("\\ud83d\\ude00", "😀"), ("<", "&lt;"), ("&", "&amp;"), ("\\\"", "&quot;"), ("'", "&#39;"),
    ]
    for _ in 0..<5000 {
      var (json, whole) = ("\"", [""])
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        let piece = try #require(pieces.randomElement(using: &random))
        json += piece.0
        whole.append((whole.last ?? "") + piece.1)
      }
      json += "\""
      let most = Int.random(in: 0...60, using: &random)
      let page = Self.html(json, atMost: most)
      if json.utf8.count - 2 <= most {
        #expect(page == whole.last)
      } else {
        // Some first pieces as wholes, less than two escapes short of the limit.
        let shown = String(page.dropLast())
        #expect(page.hasSuffix("…") && whole.contains(shown), "\(json) at \(most): \(page)")
      }
    }
    for most in [7, 8] {
      #expect(Self.html("[1,\"<b>ß\"]", atMost: most) == "<code>[1,&quot;&lt;b&gt;…</code>")
    }
  }
}
