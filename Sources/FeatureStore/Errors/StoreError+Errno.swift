import Glibc

extension StoreError {
  /// Translates an error number; nil for those without a case of their own.
  init?(errno number: Int32, path: String) {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: self = .full(reason: "\(path): \(message(errno: number))")
    case EROFS: self = .readOnly(reason: "\(path): \(message(errno: number))")
    default: return nil
    }
  }
}

/// Returns the system's text for an error number.
func message(errno number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
  return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
