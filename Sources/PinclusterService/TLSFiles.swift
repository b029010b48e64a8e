import HTTPServer

/// The files by which the service uses TLS.
struct TLSFiles {
  let certificate: String
  let key: String
  let clientAuthorities: String?

  /// The files that the flags name; nil if there are none, for plain HTTP.
  init?(_ options: Options) throws(UsageError) {
    let (certificate, key) = (options.values["tls-cert"] ?? "", options.values["tls-key"] ?? "")
    let authorities = options.values["tls-client-ca"] ?? ""
    if certificate.isEmpty, key.isEmpty, authorities.isEmpty { return nil }
    guard !certificate.isEmpty, !key.isEmpty else {
      throw UsageError(message: "HTTPS needs both --tls-cert and --tls-key")
    }
    (self.certificate, self.key) = (certificate, key)
    clientAuthorities = authorities.isEmpty ? nil : authorities
  }

  /// Reads the files as they are now.
  func read() throws(CommandFailure) -> TLSContext {
    do throws(TLSFileError) {
      return try TLSContext.server(
        certificate: certificate, key: key, clientAuthorities: clientAuthorities)
    } catch {
      let file =
        switch error.file {
        case .certificate: "--tls-cert \(certificate)"
        case .key: "--tls-key \(key)"
        case .authorities: "--tls-client-ca \(clientAuthorities ?? "")"
        case .pair: "--tls-cert \(certificate) and --tls-key \(key)"
        }
      throw CommandFailure(description: "\(file): \(error.reason)")
    }
  }
}
