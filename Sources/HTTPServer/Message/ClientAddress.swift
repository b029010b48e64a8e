import Glibc
import Texts

/// Addresses of clients as proxies write them.
public enum ClientAddress {
  /// The number that stands for an address, as ``HTTPRequest/client`` has it; nil if the text isn't one. A port
  /// and the brackets of an IPv6 address may be there.
  public static func number(of text: some StringProtocol) -> UInt64? {
    var host = Substring(text.trimmed).utf8
    // The longest address has 45 characters.
    guard host.count <= 64 else { return nil }
    if host.first == UInt8(ascii: "[") {
      guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      host = host[..<end].dropFirst()
    } else if let colon = host.firstIndex(of: UInt8(ascii: ":")),
      colon == host.lastIndex(of: UInt8(ascii: ":"))
    {
      host = host[..<colon]
    }
    let name = String(Substring(host))
    var (four, six) = (in_addr(), in6_addr())
    if inet_pton(AF_INET, name, &four) == 1 { return UInt64(four.s_addr) }
    guard inet_pton(AF_INET6, name, &six) == 1 else { return nil }
    return withUnsafeBytes(of: &six) { bytes in
      let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
      return bytes.starts(with: mapped)
        ? UInt64(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        : bytes.loadUnaligned(as: UInt64.self)
    }
  }
}
