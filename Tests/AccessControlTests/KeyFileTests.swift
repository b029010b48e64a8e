import AccessControl
import TestSupport
import Testing

/// Files of keys.
@Suite(.timeLimit(.minutes(2))) struct KeyFileTests {
  @Test func `a key grants what its line says`() throws {
    let control = try Files().control(
      keys: """
        # comment

        read:one
          write:two\r
        {"scope":"admin","key":"three","collections":["a*","*-x*y"],"filter":"k = 1 AND k = 1","rate":2}
        {"scope":"read","sha256":"81B637D8FCD2C6DA6359E6963113A1170DE795E4B725B84D1E0B4CFD9EC58CE9"}
        """)
    #expect(try control.grant("Bearer one") == Grant(.read))
    #expect(try control.grant("bearer   two") == Grant(.write))
    let grant = try control.grant("Bearer three")
    #expect(grant.scope == .admin)
    #expect(grant.rate == 2)
    #expect(grant.filter != nil)
    #expect(["a", "ab", "1-xzy", "-xy"].allSatisfy { grant.covers($0) })
    #expect(["b", "1-xz", "xy", "-x"].allSatisfy { !grant.covers($0) })
    #expect(try control.grant("Bearer bob") == Grant(.read))
    #expect(control.failure(nil) == .missing)
    #expect(control.failure("Bearer four") == .unknown)
    #expect(control.failure("Bearer on") == .unknown)
    #expect(control.failure("Bearer one2") == .unknown)
    for field in ["", "Bearer", "one", "Basic one", "Bearer one two", "Bearerone"] {
      #expect(control.failure(field) == .malformed, "\(field)")
    }
  }

  @Test func `everybody else has what the anonymous have`() throws {
    let control = try Files().control(
      keys: "write:w\n{\"anonymous\":true,\"scope\":\"read\",\"collections\":[\"open\"]}")
    #expect(try control.grant(nil).covers("open"))
    #expect(try !control.grant(nil).covers("closed"))
    // A key that isn't known is no key.
    #expect(control.failure("Bearer x") == .unknown)
  }

  @Test(arguments: [
    ("", "it has no key"), ("# nothing\n", "it has no key"), ("read", "line 1"),
    ("read:a\nReader:b", "line 2: its scope"), ("read:a\nwrite:a", "line 2: its key was there"),
    ("read:", "1 to 1024"), ("read:a b", "1 to 1024"), ("read:ä", "1 to 1024"),
    ("{", "line 1: it is not JSON"), ("{\"scope\":\"read\"}", "it has not one of"),
    ("{\"key\":\"a\"}", "its scope"), ("{\"scope\":\"read\",\"key\":1}", "its key is not a text"),
    ("{\"scope\":\"read\",\"key\":\"a\",\"sha256\":\"00\"}", "it has not one of"),
    ("{\"scope\":\"read\",\"sha256\":\"00\"}", "64 hexadecimal"),
    ("{\"scope\":\"read\",\"key\":\"a\",\"key\":\"b\"}", "twice"),
    ("{\"scope\":\"read\",\"key\":\"a\",\"colections\":[]}", "members other than"),
    ("{\"scope\":\"read\",\"key\":\"a\",\"collections\":[]}", "its collections"),
    ("{\"scope\":\"read\",\"key\":\"a\",\"collections\":[\"a/b\"]}", "its collections"),
    ("{\"scope\":\"read\",\"key\":\"a\",\"collections\":[1]}", "its collections"),
    ("{\"scope\":\"read\",\"key\":\"a\",\"filter\":\"k =\"}", "its filter can't be read"),
    ("{\"scope\":\"read\",\"key\":\"a\",\"filter\":7}", "its filter can't be read"),
    (
      "{\"scope\":\"read\",\"key\":\"a\",\"filter\":{\"op\":\"=\",\"args\":[1,1],\"op\":\"<>\"}}",
      "twice"
    ),
    ("{\"scope\":\"read\",\"key\":\"a\",\"rate\":0}", "its rate"),
    ("{\"scope\":\"read\",\"key\":\"a\",\"rate\":\"9\"}", "its rate"),
    ("{\"scope\":\"read\",\"key\":\"a\",\"rate\":1e-30}", "its rate"),
    ("{\"scope\":\"read\",\"key\":\"a\",\"rate\":1e30}", "its rate"),
    ("{\"scope\":\"read\",\"anonymous\":false}", "it has not one of"),
    (
      "{\"scope\":\"read\",\"anonymous\":true}\n{\"scope\":\"read\",\"anonymous\":true}",
      "line 2: there was an anonymous"
    ),
  ])
  func `a mistake is named and no secret told`(text: String, reason: String) throws {
    let fault = try #require(try Files().fault(keys: text))
    #expect(fault.contains(reason), "\(fault)")
    let secrets = try #require(try Files().fault(keys: "read:s3cret s3cret\n"))
    #expect(!secrets.contains("s3cret"))
    for filter in [
      #""t = 's3cret' s3cret""#, #""s3cret(1)""#, #"{"op":"s3cret","args":["s3cret"]}"#,
    ] {
      let line = "{\"scope\":\"read\",\"key\":\"a\",\"filter\":\(filter)}"
      let fault = try #require(try Files().fault(keys: line))
      #expect(fault.contains("its filter can't be read") && !fault.contains("s3cret"), "\(fault)")
    }
  }

  @Test func `files are read again, and bad ones leave what was`() throws {
    let files = try Files()
    let control = try files.control(keys: "read:one\nwrite:two", tokenKeys: Tokens.secret)
    let (one, two) = (
      try #require(try control.known("Bearer one")), try #require(try control.known("Bearer two"))
    )
    let token = Tokens.token(#"{"scope":"read"}"#)
    let bearer = try control.verified(token)
    try files.write("keys", "read:one\nread:two\nwrite:three")
    #expect(control.reload().isEmpty)
    #expect(control.isValid(one))
    // What it may do is not what it was.
    #expect(control.loss(two) == .changed)
    #expect(control.loss(bearer) == nil)
    #expect(try control.grant("Bearer two") == Grant(.read))
    #expect(try control.grant(token) == Grant(.read))
    try files.write("keys", "read:one\nnonsense")
    try files.write("token-keys", "short")
    #expect(control.reload().map(\.path) == [files.path("keys"), files.path("token-keys")])
    #expect(try control.grant("Bearer three") == Grant(.write))
    #expect(try control.grant(token) == Grant(.read))
    try files.write("keys", "read:one")
    try files.write("token-keys", String(Tokens.secret.reversed()))
    #expect(control.reload().isEmpty)
    #expect(control.failure("Bearer three") == .unknown)
    #expect(control.failure(token) != nil)
    #expect(throws: AccessFileError.self) {
      var configuration = AccessControl.Configuration()
      configuration.keyFile = files.path("missing")
      _ = try AccessControl(configuration)
    }
  }

  @Test func `a key with a rate is let through as often as that`() throws {
    let control = try Files().control(
      keys: "{\"scope\":\"read\",\"key\":\"slow\",\"rate\":0.001}\n"
        + "{\"scope\":\"read\",\"key\":\"quick\",\"rate\":20}\nread:free")
    let slow = try #require(try control.known("Bearer slow"))
    let quick = try #require(try control.known("Bearer quick"))
    let free = try #require(try control.known("Bearer free"))
    try control.count(slow, from: 1)
    #expect {
      try control.count(slow, from: 1)
    } throws: { error in
      guard case AccessFailure.tooOften(let seconds) = error else { return false }
      return (900...1000).contains(seconds)
    }
    let open = try Files().control(keys: "{\"scope\":\"read\",\"anonymous\":true,\"rate\":0.001}")
    let nobody = try #require(try open.known(nil))
    // Those without a key are told apart by address.
    for client in 1...3 as ClosedRange<UInt64> { try open.count(nobody, from: client) }
    #expect(throws: AccessFailure.self) { try open.count(nobody, from: 2) }
    for _ in 0..<20 { try control.count(quick, from: 1) }
    for _ in 0..<1000 { try control.count(free, from: 1) }
  }
}
