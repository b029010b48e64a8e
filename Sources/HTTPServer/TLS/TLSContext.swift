import CEvHTTP

/// The certificate, key and trusted authorities of one side of TLS connections, read from PEM
/// files.
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
  /// - Throws: ``TLSFileError`` if a file can't be read, or the key isn't the certificate's.
  public static func server(
    certificate: String, key: String, clientAuthorities: String? = nil
  ) throws(TLSFileError) -> TLSContext {
    var failure = ceh_tls_failure()
    guard let pointer = ceh_tls_server(certificate, key, clientAuthorities, &failure) else {
      throw TLSFileError(failure)
    }
    return TLSContext(pointer)
  }

  /// Reads the files of a client.
  ///
  /// - Parameters:
  ///   - authorities: the authorities of the servers that it trusts; nil for those of the system.
  ///   - verifies: whether it looks at certificates at all.
  ///   - certificate: its own certificate and key, for servers that want one.
  /// - Throws: ``TLSFileError`` if a file can't be read, or the key isn't the certificate's.
  public static func client(
    authorities: String? = nil, verifies: Bool = true,
    certificate: (file: String, key: String)? = nil
  ) throws(TLSFileError) -> TLSContext {
    var failure = ceh_tls_failure()
    let made = ceh_tls_client(authorities, verifies, certificate?.file, certificate?.key, &failure)
    guard let pointer = made else { throw TLSFileError(failure) }
    return TLSContext(pointer)
  }

  /// The last second in which the certificate is valid, since 1970.
  public var expiry: Int { Int(ceh_tls_expiry(pointer)) }
}
