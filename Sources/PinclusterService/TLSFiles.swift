import HTTPServer

/// The files by which the service uses TLS.
struct TLSFiles {
  let certificate: String
  let key: String
  let clientAuthorities: String?
  let tickets: String?

  /// The files that the flags name; nil if there are none, for plain HTTP.
  init?(_ options: Options) throws(UsageError) {
    let (certificate, key) = (options.values["tls-cert"] ?? "", options.values["tls-key"] ?? "")
    let authorities = options.values["tls-client-ca"] ?? ""
    let tickets = options.values["tls-tickets"] ?? ""
    if certificate.isEmpty, key.isEmpty, authorities.isEmpty, tickets.isEmpty { return nil }
    guard !certificate.isEmpty, !key.isEmpty else {
      throw UsageError(message: "HTTPS needs both --tls-cert and --tls-key")
    }
    (self.certificate, self.key) = (certificate, key)
    guard authorities.isEmpty || tickets.isEmpty else {
      throw UsageError(
        message:
          "--tls-tickets and --tls-client-ca exclude each other: tickets would outlast authorities"
      )
    }
    clientAuthorities = authorities.isEmpty ? nil : authorities
    self.tickets = tickets.isEmpty ? nil : tickets
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
      throw CommandFailure(description: "\(file): \(error.reason)")
    }
  }
}
