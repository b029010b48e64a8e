internal import GeoFormats

/// The keys of a file, with the grants of their holders.
///
/// A line is empty, begins with `#`, is `scope:key`, or is a JSON object with `scope` and either `key`, its `sha256` in
/// hexadecimal digits, or `"anonymous": true` for requests without a key; and with `collections`, `filter` and `rate`
/// as ``Grant`` has them.
struct KeyFile: Sendable {
  /// The grant of each key.
  private(set) var grants: [Digest: Grant] = [:]
  /// The grant of requests without a key; nil if they have none.
  private(set) var anonymous: Grant?

  /// The longest key, in bytes.
  static let longestKey = 1024

  /// The parser and the filters, which all lines share.
  private struct Tools {
    let parser = JSONParser(maximumDepth: 200)
    var filters = KnownFilters()
  }

  /// No keys.
  init() {}

  /// Reads the text of a file.
  init(_ bytes: [UInt8]) throws(Fault) {
    var tools = Tools()
    var (rest, number) = (bytes[...], 0)
    while !rest.isEmpty {
      let line = rest.prefix { $0 != UInt8(ascii: "\n") }
      rest = rest[line.endIndex...].dropFirst()
      number += 1
      do throws(Fault) {
        try read(KeyFile.trimmed(line), &tools)
      } catch {
        throw Fault("line \(number): \(error.reason)")
      }
    }
    if grants.isEmpty && anonymous == nil { throw Fault("it has no key") }
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isText(_ byte: UInt8) -> Bool { byte != 0x20 && byte != 0x09 && byte != 0x0D }
    guard let first = line.firstIndex(where: isText), let last = line.lastIndex(where: isText)
    else { return [] }
    return line[first...last]
  }

  private mutating func read(_ line: ArraySlice<UInt8>, _ tools: inout Tools) throws(Fault) {
    guard let first = line.first, first != UInt8(ascii: "#") else { return }
    if first == UInt8(ascii: "{") { return try readObject(line, &tools) }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw Fault("it is neither scope:key nor a JSON object")
    }
    guard let scope = AccessScope(name: String(decoding: line[..<colon], as: UTF8.self)) else {
      throw KeyFile.unknownScope
    }
    try add(Grant(scope), for: try KeyFile.digest(line[(colon + 1)...]))
  }

  private static let unknownScope = Fault("its scope is not read, write or admin")
  private static let names = ["key", "sha256", "anonymous"] + GrantReader.names

  private mutating func readObject(_ line: ArraySlice<UInt8>, _ tools: inout Tools) throws(Fault) {
    let object: JSONValue
    do throws(JSONError) {
      object = try tools.parser.parse(Array(line))
    } catch {
      throw Fault("it is not JSON: \(error)")
    }
    let reader = try GrantReader(object)
    for (name, _) in object.members {
      guard KeyFile.names.contains(String(decoding: name, as: UTF8.self)) else {
        throw Fault("it has members other than \(KeyFile.names.joined(separator: ", "))")
      }
    }
    guard let scope = try reader.text("scope").flatMap({ AccessScope(name: $0) }) else {
      throw KeyFile.unknownScope
    }
    let grant = try reader.grant(scope, &tools.filters)
    let isAnonymous = object["anonymous"]?.bool ?? false
    switch (try reader.text("key"), try reader.text("sha256"), isAnonymous) {
    case (let key?, nil, false): try add(grant, for: try KeyFile.digest(Array(key.utf8)[...]))
    case (nil, let text?, false):
      guard let digest = Digest(hexadecimal: text) else {
        throw Fault("its sha256 is not of 64 hexadecimal digits")
      }
      try add(grant, for: digest)
    case (nil, nil, true):
      guard anonymous == nil else { throw Fault("there was an anonymous one before") }
      anonymous = grant
    default: throw Fault("it has not one of key, sha256, and anonymous, which is true")
    }
  }

  private mutating func add(_ grant: Grant, for digest: Digest) throws(Fault) {
    guard grants.updateValue(grant, forKey: digest) == nil else {
      throw Fault("its key was there before")
    }
  }

  private static func digest(_ key: ArraySlice<UInt8>) throws(Fault) -> Digest {
    guard (1...longestKey).contains(key.count), key.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw Fault("its key is not of 1 to \(longestKey) printable ASCII characters") }
    guard let digest = Digest(of: Array(key)) else { throw Fault("there is no memory") }
    return digest
  }
}
