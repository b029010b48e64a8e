import ClusterCore
import Collections
import GeoFormats
import HTTPServer
import TestSupport

@testable import ClusterAPI
@testable import FeatureStore

/// Texts with marks beside special characters, which Swift takes for one character with them: whatever is escaped, quoted,
/// parted or compared must be so by bytes.
///
/// A byte below 0x80 of the input stands for itself, and any other for one of ``pieces``. A NUL parts the input into two
/// texts.
enum FuzzMarks {
  /// What joins the character before it or behind it, or is taken for equal to something else.
  static let pieces: [String] = [
    // Marks that combine, that are prepended, and joiners and selectors.
    "\u{300}", "\u{301}", "\u{308}", "\u{327}", "\u{338}", "\u{36F}", "\u{600}", "\u{601}",
    "\u{602}",
    "\u{603}", "\u{604}", "\u{605}", "\u{6DD}", "\u{70F}", "\u{110BD}", "\u{200C}", "\u{200D}",
    "\u{FE0E}",
    "\u{FE0F}", "\u{20E3}", "\u{1F3FB}", "\u{1F3FF}", "\u{E0020}", "\u{E007F}", "\u{903}",
    "\u{94D}",
    // Of two regional indicators becomes a flag, and of three letters a syllable.
    "\u{1F1E6}", "\u{1F1FF}", "\u{1F468}", "\u{1100}", "\u{1161}", "\u{11A8}", "\u{AC00}",
    // Ends of lines and spaces.
    "\r\n", "\u{85}", "\u{2028}", "\u{A0}", "\u{3000}", "\u{200B}", "\u{FEFF}", "\u{AD}",
    // A letter in one code point and in two, and in other forms what Swift takes for K, a semicolon, a grave accent, an
    // angle bracket, an Ω and an Å.
    "\u{E9}", "e\u{301}", "\u{212A}", "\u{37E}", "\u{1FEF}", "\u{2329}", "\u{3008}", "\u{2126}",
    "\u{3A9}",
    "\u{212B}", "\u{C5}", "A\u{30A}", "\u{387}", "\u{B7}", "\u{340}", "\u{341}", "\u{F900}",
    "\u{8C48}",
    // What is written in lower case as something else.
    "\u{130}", "\u{17F}", "\u{DF}", "\u{1E9E}", "\u{131}",
    // Look like special characters.
    "\u{FF1C}", "\u{FF02}", "\u{2019}", "\u{FF0C}",
  ]

  /// The texts that an input stands for.
  static func texts(_ input: UnsafeRawBufferPointer) -> (String, String) {
    var texts = ["", ""]
    var number = 0
    for byte in input.prefix(400) {
      if byte == 0, number == 0 {
        number = 1
      } else if byte < 0x80 {
        texts[number].unicodeScalars.append(Unicode.Scalar(max(byte, 1)))
      } else {
        texts[number] += pieces[Int(byte & 0x7F) % pieces.count]
      }
    }
    return (texts[0], texts[1])
  }

  static func feed(_ input: UnsafeRawBufferPointer) throws {
    let (text, other) = texts(input)
    try checkHTML(text)
    try checkSQL(text)
    try checkJSON(text)
    try checkCSV(text)
    try checkQuery(text, other)
    try checkNames(text, other)
    try checkHeads(text)
  }

  /// The parts of a text between bytes, by brute force.
  private static func parts(_ text: String, at separator: UInt8) -> [[UInt8]] {
    text.utf8.reduce(into: [[]]) { parts, byte in
      if byte == separator { parts.append([]) } else { parts[parts.count - 1].append(byte) }
    }
  }

  private static func undoubled(_ bytes: some Sequence<UInt8>, _ mark: UInt8) -> [UInt8]? {
    var result: [UInt8] = []
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      if byte == mark, iterator.next() != mark { return nil }
      result.append(byte)
    }
    return result
  }

  private static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    return String(unsafeUninitializedCapacity: text.utf8.count * 3) { bytes in
      var count = 0
      for byte in text.utf8 {
        bytes[count] = UInt8(ascii: "%")
        bytes[count + 1] = digits[Int(byte >> 4)]
        bytes[count + 2] = digits[Int(byte & 15)]
        count += 3
      }
      return count
    }
  }

  // MARK: What is escaped

  private static func checkHTML(_ text: String) throws {
    let escaped = Array(HTMLPage.escaped(text).utf8)
    try FuzzFinding.unless(
      !escaped.contains { "<>\"'".utf8.contains($0) }, "markup in \(HTMLPage.escaped(text))")
    var plain: [UInt8] = []
    var rest = escaped[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "&") else {
        plain.append(byte)
        continue
      }
      let named: [(String, Character)] = [
        ("amp;", "&"), ("lt;", "<"), ("gt;", ">"), ("quot;", "\""), ("#39;", "'"),
      ]
      guard let (name, sign) = named.first(where: { rest.starts(with: $0.0.utf8) }) else {
        throw FuzzFinding(description: "an ampersand alone in \(HTMLPage.escaped(text))")
      }
      plain += String(sign).utf8
      rest = rest.dropFirst(name.utf8.count)
    }
    let allowed = text.unicodeScalars.map { isAllowedInHTML($0) ? $0 : "\u{FFFD}" }
    try FuzzFinding.unless(
      plain == Array(String(String.UnicodeScalarView(allowed)).utf8), "another text than \(text)")
  }

  /// Whether a code point is neither a control character other than white space nor one that is for nothing.
  private static func isAllowedInHTML(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0x7E, 0x09, 0x0A, 0x0C, 0x0D: true
    case 0..<0xA0, 0xFDD0...0xFDEF: false
    default: scalar.value & 0xFFFE != 0xFFFE
    }
  }

  private static func checkSQL(_ text: String) throws {
    for (written, mark) in [
      (SQLText.quoted(text), UInt8(ascii: "\"")), (SQLText.literal(text), UInt8(ascii: "'")),
    ] {
      let bytes = Array(written.utf8)
      let inner = bytes.dropFirst().dropLast()
      try FuzzFinding.unless(
        bytes.first == mark && bytes.last == mark && undoubled(inner, mark) == Array(text.utf8),
        "not in quotes: \(written)")
    }
  }

  private static func checkJSON(_ text: String) throws {
    var writer = JSONWriter()
    writer.object { json in
      Array(text.utf8).withUnsafeBytes { json.keyUTF8($0) }
      json.value(text)
    }
    let parsed = try? JSONParser().parse(writer.bytes)
    let member = parsed.flatMap { $0.members.first { _ in true } }
    let name = member.map { Array($0.0) }
    let value = member.flatMap { $0.1.stringBytes.map { Array($0) } }
    try FuzzFinding.unless(
      name == Array(text.utf8) && value == Array(text.utf8),
      "another text: \(String(decoding: writer.bytes, as: UTF8.self))")
  }

  // MARK: What is parted

  /// A row is parted at its commas.
  private static func checkCSV(_ text: String) throws {
    guard !text.utf8.contains(where: { [0x0A, 0x0D, UInt8(ascii: "\"")].contains($0) }) else {
      return
    }
    let parts = parts(text, at: UInt8(ascii: ","))
    let names = parts.indices.map { "p\($0)" }.joined(separator: ",")
    let table = Array("lon,lat,id,\(names)\n1,2,3,\(text)\n".utf8)
    let parsed: ParsedFeatures
    do {
      parsed = try table.withUnsafeBytes { try ParsedFeatures($0, .csv) }
    } catch {
      throw FuzzFinding(description: "a table that can't be read: \(error)")
    }
    guard parsed.rejected == 0 else { return }
    try FuzzFinding.unless(parsed.batch.count == 1, "\(parsed.batch.count) rows of \(text)")
    var found: [String] = []
    parsed.batch.withRecord(at: 0) { record in
      for (name, value) in PropertyReader.Members(of: record.properties) {
        let bytes =
          value.first == UInt8(ascii: "\"") ? JSONScanner.unescape(value) : Array(value)
        found.append("\(String(decoding: name, as: UTF8.self))\(Array(bytes))")
      }
    }
    let wanted = parts.enumerated().compactMap { $1.isEmpty ? nil : "\"p\($0)\"\($1)" }
    try FuzzFinding.unless(found == wanted, "other fields than those of \(text): \(found)")
  }

  // MARK: What is asked for

  /// A value that is asked for is that of its bytes, and a list has the parts between its commas.
  private static func checkQuery(_ name: String, _ value: String) throws {
    guard !name.isEmpty else { return }
    let query = "\(percentEncoded(name))=\(percentEncoded(value))"
    let fields = try Fields(query: query, allowed: [], othersAreProperties: true)
    let filter: FilterExpression?
    do {
      filter = try fields.narrowed(nil)
    } catch {
      throw FuzzFinding(description: "can't be asked for: \(name) = \(value): \(error)")
    }
    let first: FilterExpression? = if case .or(let parts) = filter { parts.first } else { filter }
    let wanted = FilterExpression.comparison(
      .property(Array(name.utf8)), .equal, .string(Array(value.utf8)))
    try FuzzFinding.unless(first == wanted, "\(name) = \(value) asks for \(first.debugDescription)")
    let list = try Fields(query: "l=\(percentEncoded(value))", allowed: ["l"]).strings("l")?.list
    try FuzzFinding.unless(
      list?.map { Array($0.utf8) } == (value.isEmpty ? [] : parts(value, at: UInt8(ascii: ","))),
      "the list \(value) is \(list ?? [])")
  }

  // MARK: What is compared

  /// Two texts are one if their bytes are.
  private static func checkNames(_ one: String, _ other: String) throws {
    let isSame = Array(one.utf8) == Array(other.utf8)
    let keys = [one, other].map {
      Watch.Key(collection: "c", tenantID: nil, query: .init(stringLiteral: $0))
    }
    try FuzzFinding.unless((keys[0] == keys[1]) == isSame, "watched together: \(one), \(other)")
    var writer = JSONWriter()
    writer.object { json in
      for name in [one, other] {
        Array(name.utf8).withUnsafeBytes { json.keyUTF8($0) }
        json.array { json in
          json.value("sum")
          json.value(name)
        }
      }
    }
    let query = "aggregate=" + percentEncoded(String(decoding: writer.bytes, as: UTF8.self))
    let found = try? Fields(query: query, allowed: ["aggregate"]).aggregates("aggregate")
    try FuzzFinding.unless((found == nil) == isSame, "aggregates of \(one) and \(other)")
    if let found { try FuzzFinding.unless(found[0] != found[1], "one aggregate: \(one), \(other)") }
  }

  // MARK: Heads

  private static func request(_ fields: [(String, String)]) -> HTTPRequest {
    var request = HTTPRequest(
      method: .get, path: "/", headers: HTTPHeaders(fields.map { (name: $0.0, value: $0.1) }))
    request.client = 7
    return request
  }

  /// What a proxy has appended is seen, and a name that somebody can register is no local one.
  private static func checkHeads(_ text: String) throws {
    guard let address = ServiceAddress(trustsProxy: true),
      let policy = OriginPolicy(isLocal: true)
    else { throw FuzzFinding(description: "no settings") }
    let plain = ClientAddress.number(of: "10.1.2.3")
    // In an open quote everything else is part of a value.
    let isQuoted = text.utf8.contains(UInt8(ascii: "\""))
    var fields = [
      ("X-Forwarded-For", "\(text), 10.1.2.3"), ("X-Forwarded-For", "\(text),10.1.2.3"),
    ]
    if !isQuoted { fields.append(("Forwarded", "by=\(text),for=10.1.2.3")) }
    // A NUL ends a value.
    for field in fields where !text.utf8.contains(0) {
      try FuzzFinding.unless(
        address.client(of: request([field])) == plain, "\(field.0) hides a client: \(field.1)")
    }
    let host = Array(text.utf8)
    let isName = host.allSatisfy {
      ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39)
        || "-_.:[]".utf8.contains($0)
    }
    // The root of the domain name system, behind the last dot, is no label.
    let name = host.prefix { $0 != UInt8(ascii: ":") }
    let hasLetterAndDot =
      name.dropLast().contains(UInt8(ascii: "."))
      && host.contains { $0 | 0x20 >= UInt8(ascii: "g") && $0 | 0x20 <= 0x7A }
    let isOfMachine = text.lowercased().hasBytes("localhost")
    guard !isName || hasLetterAndDot && !isOfMachine else { return }
    do throws(Problem) {
      try policy.check(request([("Host", text)]), .ofRequests) { _ in false }
    } catch {
      return
    }
    throw FuzzFinding(description: "a local host: \(text)")
  }
}

extension String {
  fileprivate func hasBytes(_ part: String) -> Bool {
    Array(utf8).firstRange(of: Array(part.utf8)) != nil
  }
}
