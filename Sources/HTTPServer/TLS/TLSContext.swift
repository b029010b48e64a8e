import CEvHTTP

/// The certificate, key and trust of the server of TLS connections, read from files.
///
/// `@unchecked Sendable`: the C side counts its references and is never changed.
public final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { ceh_tls_free(pointer) }

  /// Reads the files of a server.
  ///
  /// - Parameters:
  ///   - certificate: its certificate, with those between it and its authority.
  ///   - key: the certificate's key, without a password.
  ///   - clientAuthorities: the authorities of clients, which must then have a certificate; nil if they need none.
  ///   - tickets: the keys by which clients resume sessions wherever they are the same, 80 bytes; nil for random ones.
  /// - Throws: ``TLSFileError`` if a file can't be read, or the key isn't the certificate's.
  public static func server(
    certificate: String, key: String, clientAuthorities: String? = nil, tickets: String? = nil
  ) throws(TLSFileError) -> TLSContext {
    var failure = ceh_tls_failure()
    guard let pointer = ceh_tls_server(certificate, key, clientAuthorities, tickets, &failure)
    else { throw TLSFileError(failure) }
    return TLSContext(pointer)
  }

  /// The last second in which the certificate is valid, since 1970.
  public var expiry: Int { Int(ceh_tls_expiry(pointer)) }
}

/// The reason why a file cannot be used for TLS. It reveals nothing of the file's content.
public struct TLSFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The purpose of a file.
  public enum File: Sendable, Hashable {
    case certificate
    case key
    case authorities
    case tickets
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
    case CEH_TICKETS: file = .tickets
    default: file = .pair
    }
    reason = withUnsafeBytes(of: &failure.reason) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
