internal import CCrypto
internal import GeoFormats
internal import Texts

/// The keys of a file that tokens are checked with: public keys in PEM, one JSON Web Key or a set of them (RFC 7517), or
/// else one secret, which is all of the file but a line's end after it. Clients may know a public key, so what may be one in
/// another form is refused as a secret, and so is what everybody may know, such as a page that was fetched in place of keys.
struct TokenKeyFile: Sendable {
  let keys: [TokenKey]
  /// Whether the file is a secret as such.
  let isSecret: Bool
  /// The digest of the file.
  let digest: Digest?

  /// Reads the contents of a file.
  init(_ bytes: [UInt8]) throws(Fault) {
    digest = Digest(of: bytes)
    let bytes = Array(bytes.withoutByteOrderMark)
    let text = bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if text.first == UInt8(ascii: "{") {
      isSecret = false
      keys = try TokenKeyFile.keys(ofJSON: Array(text))
    } else if let pem = bytes.firstRange(of: Array("-----BEGIN".utf8)) {
      isSecret = false
      keys = try TokenKeyFile.keys(ofPEM: Array(bytes[pem.lowerBound...]))
    } else {
      if TokenKeyFile.mayBePublic(Array(text)) {
        throw Fault("it looks like a public key, but not in PEM and not as JSON Web Keys")
      }
      var secret = bytes[...]
      if secret.last == 0x0A { secret.removeLast() }
      if secret.last == 0x0D { secret.removeLast() }
      if let fault = TokenKeyFile.fault(ofSecret: secret) { throw Fault(fault) }
      isSecret = true
      keys = [try TokenKey(secret: Array(secret))]
    }
  }

  /// The least number of different bytes in a secret. Random digits in hexadecimal have that many but once in 10 million.
  private static let fewestBytes = 8

  /// A reason why bytes are no secret although there are enough of them; nil if there is none, or they are too few.
  private static func fault(ofSecret bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count >= TokenKey.shortestSecret else { return nil }
    if bytes.count(where: { $0 == 0 }) > bytes.count / 4 {
      return "it is text in UTF-16, it seems, which is neither read as keys nor taken for a secret"
    }
    if Set(bytes).count < fewestBytes {
      return "it has fewer than \(fewestBytes) different bytes, so it is no secret"
    }
    // Random bytes are hardly ever all of text.
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }),
      String(validating: bytes, as: UTF8.self) != nil
    else { return nil }
    let isMarkup =
      bytes.first == UInt8(ascii: "<")
      || [(UInt8(ascii: "\""), UInt8(ascii: "\"")), (UInt8(ascii: "["), UInt8(ascii: "]"))]
        .contains { bytes.first == $0 && bytes.last == $1 }
    // The lines of base64, as OpenSSL writes it, are a secret.
    let isEnd = { (byte: UInt8) in byte == 0x0A || byte == 0x0D }
    let isLine = !bytes.drop(while: isEnd).reversed().drop(while: isEnd).contains(where: isEnd)
    let isBase64 = bytes.allSatisfy {
      $0 == 0x0A || $0 == 0x0D || $0.hexadecimalValue != nil
        || (0x61...0x7A).contains($0.lowercasedASCII) || "+/=-_".utf8.contains($0)
    }
    guard isMarkup || !isLine && !isBase64 else { return nil }
    return "it is text of several lines, or in marks, as a page of an error is, and no secret"
  }

  /// Whether a file may hold a public key in a form that isn't read: that of SSH, a list of JSON Web Keys, DER, or DER in
  /// base64.
  private static func mayBePublic(_ bytes: [UInt8]) -> Bool {
    let forms = ["ssh-", "ecdsa-", "sk-ssh-", "sk-ecdsa-", "---- BEGIN"]
    if forms.contains(where: { bytes.starts(with: $0.utf8) })
      || bytes.firstRange(of: Array("\"kty\"".utf8)) != nil
      || ccrypto_is_public(bytes, bytes.count)
    {
      return true
    }
    let digits = bytes.filter { $0 > 0x20 && $0 != UInt8(ascii: "=") }.map { byte in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: byte
      }
    }
    return Base64URL.decode(digits).map { ccrypto_is_public($0, $0.count) } ?? false
  }

  // MARK: PEM

  private static func keys(ofPEM bytes: [UInt8]) throws(Fault) -> [TokenKey] {
    guard bytes.firstRange(of: Array("PRIVATE KEY".utf8)) == nil else {
      throw Fault("it holds a private key; the public one is all that is needed here")
    }
    var keys: [TokenKey] = []
    var rest = bytes[...]
    while rest.contains(UInt8(ascii: "-")) {
      var used = 0
      let key = rest.withUnsafeBytes { buffer in
        ccrypto_key_from_pem(
          buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, &used)
      }
      guard used > 0 else {
        throw Fault("it is not of the form that begins with -----BEGIN PUBLIC KEY-----")
      }
      keys.append(try TokenKey(owning: key))
      rest = rest.dropFirst(used)
    }
    return keys
  }

  // MARK: JSON

  private static func keys(ofJSON bytes: [UInt8]) throws(Fault) -> [TokenKey] {
    let parser = JSONParser(maximumDepth: 32)
    let document: JSONValue
    do throws(JSONError) {
      document = try parser.parse(bytes)
    } catch {
      throw Fault("it is not JSON: \(error)")
    }
    // No name may be there twice.
    _ = try GrantReader(document)
    guard let list = document["keys"] else {
      if let key = try key(ofJSON: document) { return [key] }
      throw Fault(
        "its kty is not oct or RSA, nor EC with P-256 or OKP with Ed25519, or its alg is not one for which it is used"
      )
    }
    var keys: [TokenKey] = []
    for (index, value) in list.elements.enumerated() {
      do throws(Fault) {
        // A set may hold keys for other purposes, and of kinds that aren't known here (RFC 7517, section 5).
        if let use = value["use"]?.string, use != "sig" { continue }
        if let key = try key(ofJSON: value) { keys.append(key) }
      } catch {
        throw Fault("key \(index + 1): \(error.reason)")
      }
    }
    if keys.isEmpty { throw Fault("it holds no key for signatures") }
    return keys
  }

  /// A key; nil if it is of another kind, or for another algorithm.
  private static func key(ofJSON object: JSONValue) throws(Fault) -> TokenKey? {
    let reader = try GrantReader(object)
    func bytes(_ name: StaticString, count: Int? = nil) throws(Fault) -> [UInt8] {
      guard let text = try reader.text(name), let bytes = Base64URL.decode(text.utf8),
        count.map({ $0 == bytes.count }) ?? true
      else { throw Fault("its \(name) can't be read") }
      return bytes
    }
    let name = try reader.text("kid")
    let (kind, curve) = (try reader.text("kty"), try reader.text("crv"))
    let key: TokenKey
    switch (kind, curve) {
    case ("oct", _): key = try TokenKey(secret: try bytes("k"), name: name)
    case ("RSA", _):
      let (modulus, exponent) = (try bytes("n"), try bytes("e"))
      key = try TokenKey(
        owning: ccrypto_key_from_rsa(modulus, modulus.count, exponent, exponent.count), name: name)
    case ("EC", "P-256"):
      let (x, y) = (try bytes("x", count: 32), try bytes("y", count: 32))
      key = try TokenKey(owning: ccrypto_key_from_p256(x, y), name: name)
    case ("OKP", "Ed25519"):
      let x = try bytes("x", count: 32)
      key = try TokenKey(owning: ccrypto_key_from_ed25519(x), name: name)
    default: return nil
    }
    return try reader.text("alg").map { key.algorithm.isSame(as: $0) } ?? true ? key : nil
  }
}
