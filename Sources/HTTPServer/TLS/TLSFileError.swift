import CEvHTTP

/// The reason why a file cannot be used for TLS. It reveals nothing of the file's content.
public struct TLSFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The purpose of a file.
  public enum File: Sendable, Hashable {
    case certificate
    case key
    case authorities
    /// The certificate and the key, each of which is fine.
    case pair
  }

  /// Which file it is.
  public var file: File
  /// The error, in a few words.
  public var reason: String

  /// One line for the operator, without the file's name.
  public var description: String { reason }

  init(_ failure: ceh_tls_failure) {
    var failure = failure
    switch failure.file {
    case CEH_CERTIFICATE: file = .certificate
    case CEH_KEY: file = .key
    case CEH_AUTHORITIES: file = .authorities
    default: file = .pair
    }
    reason = withUnsafeBytes(of: &failure.reason) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
