internal import GeoFormats

/// The keys of a file, and what is granted to their holders.
///
/// A line is empty, begins with `#`, is `scope:key`, or is a JSON object with `scope` and either `key`, its `sha256` in
/// hexadecimal digits, or `"anonymous": true` for requests without a key; and with `collections`, `filter` and `rate`
/// as ``Grant`` has them.
struct KeyFile: Sendable {
  /// What is granted to the holder of each key.
  private(set) var grants: [Digest: Grant] = [:]
  /// What is granted to everybody else; nil if nothing is.
  private(set) var anonymous: Grant?

  /// The longest key, in bytes.
  static let longestKey = 1024

  /// No keys.
  init() {}

  /// Reads the text of a file.
  init(_ bytes: [UInt8]) throws(Fault) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      do throws(Fault) {
        try read(String(decoding: KeyFile.trimmed(line), as: UTF8.self))
      } catch {
        throw Fault("line \(index + 1): \(error.reason)")
      }
    }
    if grants.isEmpty && anonymous == nil { throw Fault("it has no key") }
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0D].contains($0) }
    return line.drop(while: isSpace).reversed().drop(while: isSpace).reversed()[...]
  }

  private mutating func read(_ line: String) throws(Fault) {
    if line.isEmpty || line.hasPrefix("#") { return }
    if line.hasPrefix("{") { return try readObject(line) }
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw Fault("it is neither scope:key nor a JSON object") }
    guard let scope = AccessScope(name: parts[0]) else { throw KeyFile.unknownScope }
    try add(Grant(scope), for: try KeyFile.digest(String(parts[1])))
  }

  private static let unknownScope = Fault("its scope is not read, write or admin")

  private mutating func readObject(_ line: String) throws(Fault) {
    let parser = JSONParser(maximumDepth: 200)
    let object: JSONValue
    do throws(JSONError) {
      object = try parser.parse(Array(line.utf8))
    } catch {
      throw Fault("it is not JSON: \(error)")
    }
    let reader = try GrantReader(object)
    let names = ["key", "sha256", "anonymous"] + GrantReader.names
    for (name, _) in object.members {
      guard names.contains(String(decoding: name, as: UTF8.self)) else {
        throw Fault("it has members other than \(names.joined(separator: ", "))")
      }
    }
    guard let scope = try reader.text("scope").flatMap({ AccessScope(name: $0) }) else {
      throw KeyFile.unknownScope
    }
    let grant = try reader.grant(scope)
    let isAnonymous = object["anonymous"]?.bool ?? false
    switch (try reader.text("key"), try reader.text("sha256"), isAnonymous) {
    case (let key?, nil, false): try add(grant, for: try KeyFile.digest(key))
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

  private static func digest(_ key: String) throws(Fault) -> Digest {
    guard (1...longestKey).contains(key.utf8.count),
      key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw Fault("its key is not of 1 to \(longestKey) printable ASCII characters") }
    guard let digest = Digest(of: Array(key.utf8)) else { throw Fault("there is no memory") }
    return digest
  }
}
