import AccessControl
import TestSupport
import Testing

/// JSON Web Tokens, also those of RFC 7515 (appendix A) and RFC 8037 (appendix A.4).
@Suite(.timeLimit(.minutes(2))) struct TokenTests {
  private static let claims =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
  private static let secret =
    #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}"#
  private static let curve =
    #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#
  private static let edwards =
    #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#

  /// A token of each kind, its key, and why it is refused once its signature was found to be right.
  private static let published = [
    (
      secret,
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(claims).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      "scope"
    ),
    (
      curve,
      "eyJhbGciOiJFUzI1NiJ9.\(claims).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
      "scope"
    ),
    (
      edwards,
      "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
      "not of JSON"
    ),
  ]

  private static func reason(_ failure: AccessFailure?) -> String {
    if case .token(let reason)? = failure { reason } else { "\(String(describing: failure))" }
  }

  @Test func `published tokens are told from those that differ in a bit`() throws {
    for (key, token, reason) in Self.published {
      let control = try Files().control(tokenKeys: key)
      #expect(Self.reason(control.failure("Bearer \(token)")).contains(reason))
      let inSet = try Files().control(
        tokenKeys: "{\"keys\":[\(Self.published.map(\.0).joined(separator: ","))]}")
      #expect(Self.reason(inSet.failure("Bearer \(token)")).contains(reason))
      // Another character is another bit, but for the last one of a part.
      for place in stride(from: 0, to: token.count, by: 7) {
        var characters = Array(token)
        guard characters[place] != "." else { continue }
        characters[place] = characters[place] == "A" ? "B" : "A"
        let found = Self.reason(control.failure("Bearer \(String(characters))"))
        #expect(!found.contains(reason) || reason == "not of JSON", "\(place): \(found)")
      }
      for (other, _, _) in Self.published where other != key {
        let control = try Files().control(tokenKeys: other)
        #expect(Self.reason(control.failure("Bearer \(token)")).contains("signature"))
      }
    }
  }

  @Test func `claims grant what key files grant`() throws {
    let files = try Files()
    let control = try files.control(tokenKeys: Tokens.secret + "\n")
    func grant(_ claims: String) throws -> Grant { try control.grant(Tokens.token(claims)) }
    #expect(try grant(#"{"scope":"read"}"#) == Grant(.read))
    #expect(try grant(#"{"scope":"openid write read"}"#) == Grant(.write))
    #expect(try grant(#"{"scope":"admin","exp":1300000000.5,"nbf":1300000000}"#) == Grant(.admin))
    #expect(try grant(#"{"scope":"read","aud":["x","pincluster"]}"#) == Grant(.read))
    let some = try grant(#"{"scope":"read","collections":["a*"],"filter":"k=1","rate":5}"#)
    #expect(some.covers("ab") && !some.covers("b") && some.filter != nil && some.rate == 5)
    for (claims, reason) in [
      (#"{"scope":"read","exp":1300000000}"#, "expired"), (#"{"scope":"read","exp":"1"}"#, "exp"),
      (#"{"scope":"read","nbf":1300000001}"#, "not valid yet"),
      (#"{"scope":"read","aud":"other"}"#, "audience"), (#"{"scope":"read","aud":7}"#, "aud"),
      (#"{"scope":"reader"}"#, "scope"), ("{}", "scope"), (#"{"scope":["read"]}"#, "scope"),
      (#"{"scope":"read","filter":"k="}"#, "filter"), (#"{"scope":"read","filter":1}"#, "filter"),
      (#"{"scope":"read","collections":[]}"#, "collections"),
      (#"{"scope":"read","scope":"admin"}"#, "twice"), ("[]", "not a JSON object"),
      (#"{"scope":"read","rate":-1}"#, "rate"), ("", "not of JSON"),
    ] {
      #expect(Self.reason(control.failure(Tokens.token(claims))).contains(reason), "\(claims)")
    }
    // What was valid is so no longer when its time is over.
    let token = Tokens.token(#"{"scope":"read","exp":1300000100}"#)
    let holder = try control.verified(token)
    #expect(control.isValid(holder))
    #expect(try control.known(token)?.grant == Grant(.read))
    files.now.withLock { $0 = 1_300_000_100 }
    #expect(control.loss(holder) == control.failure(token))
    #expect(Self.reason(control.failure(token)).contains("expired"))
  }

  @Test func `an audience can be asked for`() throws {
    let control = try Files().control(tokenKeys: Tokens.secret, audience: "maps")
    #expect(control.failure(Tokens.token(#"{"scope":"read","aud":"maps"}"#)) == nil)
    for claims in [#"{"scope":"read"}"#, #"{"scope":"read","aud":"pincluster"}"#] {
      #expect(Self.reason(control.failure(Tokens.token(claims))).contains("audience"))
    }
  }

  @Test func `heads can't choose how they are checked`() throws {
    let claims = #"{"scope":"admin"}"#
    let control = try Files().control(tokenKeys: Tokens.secret)
    for head in [
      #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":"HS512"}"#, #"{"alg":"RS256"}"#, "{}",
      #"{"alg":["HS256"]}"#, #"{"alg":"HS256","alg":"none"}"#, #"{"alg":"HS256","crit":["exp"]}"#,
      #"{"alg":"HS256","kid":7}"#,
    ] {
      let token = Tokens.token(claims, head: head)
      #expect(control.failure(token) != nil, "\(head)")
      let parts = token.split(separator: ".", omittingEmptySubsequences: false)
      #expect(control.failure("\(parts[0]).\(parts[1]).") != nil, "\(head)")
    }
    #expect(control.failure(Tokens.token(claims)) == nil)
    // A name that no key has makes no difference to a key without one, and is a name of nothing else.
    let named = #"{"alg":"HS256","kid":"../../dev/null"}"#
    #expect(control.failure(Tokens.token(claims, head: named)) == nil)
    let secret = TestBase64URL.encode(Array(Tokens.secret.utf8))
    let set = try Files().control(
      tokenKeys: "{\"keys\":[{\"kty\":\"oct\",\"kid\":\"k1\",\"k\":\"\(secret)\"}]}")
    #expect(set.failure(Tokens.token(claims, head: named)) != nil)
    #expect(set.failure(Tokens.token(claims, head: #"{"alg":"HS256","kid":"k1"}"#)) == nil)
    // A public key is no secret, in whatever form.
    let open = try Files().control(tokenKeys: Self.curve)
    for guess in [Self.curve, "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"] {
      #expect(open.failure(Tokens.token(claims, secret: guess)) != nil)
    }
    #expect(control.failure(Tokens.token(claims, secret: "another")) != nil)
    #expect(control.failure("Bearer a.b.c") != nil)
    #expect(control.failure("Bearer ..") != nil)
    #expect(control.failure("Bearer " + String(repeating: "a", count: 5000) + ".b.c") != nil)
  }

  @Test(arguments: [
    ("short", "fewer than 32"), ("-----BEGIN PRIVATE KEY-----\nx", "private key"),
    ("-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----", "BEGIN PUBLIC KEY"),
    ("{", "not JSON"), ("{\"keys\":[]}", "no key"), ("{\"kty\":\"EC\",\"crv\":\"P-384\"}", "kty"),
    ("{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}", "key"),
    ("{\"kty\":\"oct\",\"k\":\"c2hvcnQ\"}", "fewer than 32"),
    ("{\"kty\":\"oct\",\"k\":\"+\"}", "its k"),
    (
      "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\",\"y\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}",
      "can't be read"
    ),
    ("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AA\"}", "its x"),
    (
      "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"alg\":\"ES256\",\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
      "its alg"
    ),
  ])
  func `a key that is none is refused`(text: String, reason: String) throws {
    let fault = try #require(try Files().fault(tokenKeys: text))
    #expect(fault.contains(reason), "\(fault)")
  }

  /// The key of RFC 7515, appendix A.3, in base64.
  private static let encoded =
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7"
    + "6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ=="

  /// Whoever knows a public key could sign with it, if it were taken for a secret.
  @Test func `a public key in another form is no secret`() throws {
    let pem = "-----BEGIN PUBLIC KEY-----\n\(Self.encoded)\n-----END PUBLIC KEY-----\n"
    let token = "Bearer \(Self.published[1].1)"
    // These are read.
    for text in [
      pem, "\u{FEFF}\(pem)", "# the key\n\(pem)", "Public-Key: (256 bit)\n\(pem)",
      "\u{FEFF}{\"keys\":[\(Self.curve)]}",
    ] {
      let control = try Files().control(tokenKeys: text)
      #expect(Self.reason(control.failure(token)).contains("scope"), "\(text)")
      let forged = Tokens.token(#"{"scope":"admin"}"#, secret: text)
      #expect(control.failure(forged) != nil, "\(text)")
    }
    let lines = "\(Self.encoded.prefix(64))\n\(Self.encoded.dropFirst(64))\n"
    let unpadded = Self.encoded.filter { $0 != "=" }
    for text in [
      "[\(Self.curve)]", Self.encoded, lines, unpadded,
      "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea me",
      "---- BEGIN SSH2 PUBLIC KEY ----\n\(Self.encoded)",
    ] {
      let fault = try #require(try Files().fault(tokenKeys: text), "\(text)")
      #expect(fault.contains("public key"), "\(fault)")
    }
    // What is as random as that is a secret.
    for text in ["[" + Tokens.secret, Self.encoded.reversed() + Self.encoded, "MF" + Tokens.secret]
    {
      #expect(try Files().fault(tokenKeys: text) == nil)
    }
  }

  /// Pages of servers and files of another kind, which others know or guess.
  @Test func `what everybody may know is no secret`() throws {
    let page =
      "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>nginx</body>\r\n</html>\r\n"
    for text in [
      page, "<html><head><title>Gone</title></head></html>",
      "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>",
      "upstream connect error or disconnect\n/reset before headers", "\"\(Tokens.secret)\"",
      "admin:\(Tokens.secret)\nread:two", "----BEGIN PUBLIC KEY----\n\(Self.encoded)\n",
      "\u{E9}\u{E8}\n\(Tokens.secret)",
      String(repeating: " ", count: 64), String(repeating: "0123456", count: 10),
    ] {
      let fault = try #require(try Files().fault(tokenKeys: text), "\(text)")
      #expect(fault.contains("secret"), "\(fault)")
    }
    let (zeros, secret) = ([UInt8](repeating: 0, count: 64), Array(Tokens.secret.utf8))
    let wide = secret.map { [$0, 0] as [UInt8] }.joined()
    #expect(throws: Never.self) { try Files().control(tokenKeys: [0xFF, 0xFE] + secret) }
    #expect(throws: Never.self) { try Files().control(tokenKeys: "words \(Tokens.secret)\n\n") }
    // As OpenSSL writes many digits.
    let lines = "\(Tokens.secret)Z+/\n\(Tokens.secret)==\n\n"
    #expect(throws: Never.self) { try Files().control(tokenKeys: lines) }
    for bytes in [zeros, [0xFF, 0xFE] + wide, [0] + wide] {
      #expect(throws: AccessFileError.self) { try Files().control(tokenKeys: bytes) }
    }
    // Random bytes are one, and so is any word.
    var generator = SeededGenerator(seed: 7)
    let files = try Files()
    for _ in 0..<300 {
      let bytes = [7] + (0..<32).map { _ in UInt8(generator.int(0...255)) } + [7]
      #expect(throws: Never.self) { try files.control(tokenKeys: bytes) }
      let word = bytes.map { UInt8(ascii: "a") + $0 % 16 } + [0x0A]
      #expect(throws: Never.self) { try files.control(tokenKeys: word) }
    }
  }

  @Test func `no secret comes in place of public keys while the service runs`() throws {
    let files = try Files()
    let control = try files.control(tokenKeys: "{\"keys\":[\(Self.curve)]}")
    try files.write("token-keys", Tokens.secret)
    let error = try #require(control.reload().first)
    #expect(error.reason.contains("restart"))
    #expect(control.failure(Tokens.token(#"{"scope":"admin"}"#)) != nil)
    #expect(Self.reason(control.failure("Bearer \(Self.published[1].1)")).contains("scope"))
    // A secret by another, or by keys, is.
    try files.write("token-keys", "{\"keys\":[\(Self.curve)]}")
    #expect(control.reload().isEmpty)
    let other = try files.control(tokenKeys: Tokens.secret)
    for text in [String(Tokens.secret.reversed()), "{\"keys\":[\(Self.curve)]}"] {
      try files.write("token-keys", text)
      #expect(other.reload().isEmpty)
    }
  }

  @Test func `a file that is the same leaves tokens as they are`() throws {
    let files = try Files()
    let control = try files.control(tokenKeys: Tokens.secret)
    let holder = try control.verified(Tokens.token(#"{"scope":"read"}"#))
    #expect(control.reload().isEmpty)
    #expect(control.loss(holder) == nil)
    try files.write("token-keys", Tokens.secret + "\n")
    #expect(control.reload().isEmpty)
    #expect(control.loss(holder) == .changed)
  }

  @Test func `claims are compared by their bytes`() throws {
    // What looks the same, or what Swift takes for a K, is another's name.
    for (audience, other) in [("K", "\u{212A}"), ("\u{E9}", "e\u{301}"), ("a;b", "a\u{37E}b")] {
      let control = try Files().control(tokenKeys: Tokens.secret + "\n", audience: audience)
      func failure(_ name: String) -> AccessFailure? {
        control.failure(Tokens.token("{\"scope\":\"read\",\"aud\":[\"\(name)\"]}"))
      }
      #expect(failure(audience) == nil)
      #expect(failure(other) != nil)
    }
    let key =
      "{\"kty\":\"oct\",\"kid\":\"K\",\"k\":\"\(TestBase64URL.encode(Array(Tokens.secret.utf8)))\"}"
    let control = try Files().control(tokenKeys: key)
    for (name, isKnown) in [("K", true), ("\u{212A}", false)] {
      let token = Tokens.token(
        #"{"scope":"read"}"#, head: "{\"alg\":\"HS256\",\"kid\":\"\(name)\"}")
      #expect((control.failure(token) == nil) == isKnown, "\(name)")
    }
    // A space parts names, whatever stands beside it.
    let plain = try Files().control(tokenKeys: Tokens.secret + "\n")
    #expect(
      try plain.grant(Tokens.token("{\"scope\":\"x\u{600} read \u{301}admin\"}")) == Grant(.read))
  }

  @Test func `names that look the same are no repetition`() throws {
    let filter = "{\"op\":\"=\",\"args\":[{\"property\":\"a\"},1],\"\u{E9}\":1,\"e\u{301}\":2}"
    let fault = try Files().fault(keys: "{\"scope\":\"read\",\"key\":\"k\",\"filter\":\(filter)}")
    #expect(fault?.contains("twice") != true, "\(fault ?? "")")
  }
}
