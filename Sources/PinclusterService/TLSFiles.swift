import HTTPServer

/// The files by which the service uses TLS.
struct TLSFiles {
  let certificate: String
  let key: String
  let clientAuthorities: String?
  let tickets: String?

  /// The files that the flags name; nil if there are none, for plain HTTP.
  init?(_ options: Options) throws(UsageError) {
    clientAuthorities = options.values["tls-client-ca"]
    tickets = options.values["tls-tickets"]
    let (certificate, key) = (options.values["tls-cert"], options.values["tls-key"])
    if certificate == nil, key == nil, clientAuthorities == nil, tickets == nil { return nil }
    guard let certificate, let key else {
      throw UsageError("HTTPS needs both --tls-cert and --tls-key")
    }
    (self.certificate, self.key) = (certificate, key)
    guard clientAuthorities == nil || tickets == nil else {
      throw UsageError(
        "--tls-tickets and --tls-client-ca exclude each other: tickets would outlast authorities")
    }
  }

  /// Reads the files as they are now.
  func read() throws(CommandFailure) -> TLSContext {
    do throws(TLSFileError) {
      return try TLSContext.server(
        certificate: certificate, key: key, clientAuthorities: clientAuthorities, tickets: tickets)
    } catch {
      let file =
        switch error.file {
        case .certificate: "--tls-cert \(certificate)"
        case .key: "--tls-key \(key)"
        case .authorities: "--tls-client-ca \(clientAuthorities ?? "")"
        case .tickets: "--tls-tickets \(tickets ?? "")"
        case .pair: "--tls-cert \(certificate) and --tls-key \(key)"
        }
      throw CommandFailure("\(file): \(error.reason)")
    }
  }
}
