import CCrypto
import ClusterCore

extension FeatureID {
  /// A random id that no feature has (UUID version 4).
  static func random() throws(Problem) -> FeatureID {
    var bytes = [UInt8](repeating: 0, count: 16)
    guard ccrypto_random(&bytes, bytes.count) else {
      throw .unavailable("there are no random numbers for an id")
    }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    guard let id = try? FeatureID(bareText: text) else {
      throw .unavailable("there are no random numbers for an id")
    }
    return id
  }
}
