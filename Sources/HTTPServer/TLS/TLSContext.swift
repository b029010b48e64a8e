import CEvHTTP

/// What one side of TLS connections shows and whom it trusts, read from PEM files.
///
/// `@unchecked Sendable`: the C side counts its references and is never changed.
public final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { ceh_tls_free(pointer) }

  /// Reads what a server needs.
  ///
  /// - Parameters:
  ///   - certificate: its certificate, with those between it and its authority.
  ///   - key: the certificate's key, without a password.
  ///   - clientAuthorities: the authorities of clients, which must then have a certificate; nil if they need none.
  public static func server(
    certificate: String, key: String, clientAuthorities: String? = nil
  ) throws(TLSFileError) -> TLSContext {
    var failure = ceh_tls_failure()
    guard let pointer = ceh_tls_server(certificate, key, clientAuthorities, &failure) else {
      throw TLSFileError(failure)
    }
    return TLSContext(pointer)
  }

  /// Reads what a client needs.
  ///
  /// - Parameters:
  ///   - authorities: the authorities of the servers that it trusts; nil for those of the system.
  ///   - verifies: whether it looks at certificates at all.
  ///   - certificate: its own certificate and key, for servers that want one.
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
