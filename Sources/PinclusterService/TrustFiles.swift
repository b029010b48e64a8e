import AccessControl
import HTTPServer
import Texts

/// The files by which a command trusts a service that it asks, and is trusted.
struct TrustFiles {
  /// The flags of trust on either side.
  static let flags: [Options.Flag] = [
    .init(
      "ca-file", "FILE", "authorities to trust for an https URL", unset: "those of the system"),
    .init("client-cert", "FILE", "certificate to show to a service that wants one"),
    .init("client-key", "FILE", "key of --client-cert"),
  ]
  /// The flag of the file with the key for the service.
  static let accessFlag = Options.Flag(
    "key-file", "FILE", "file whose first line is the key or token to show to the service")

  private let authorities: String?
  private let access: String?
  private let certificate: (file: String, key: String)?

  init(_ options: Options) throws(UsageError) {
    authorities = options.values["ca-file"]
    access = options.values["key-file"]
    switch (options.values["client-cert"], options.values["client-key"]) {
    case (let file?, let key?): certificate = (file, key)
    case (nil, nil): certificate = nil
    default: throw UsageError(message: "--client-cert and --client-key need each other")
    }
  }

  /// A client for a URL.
  ///
  /// - Parameter verifies: whether the service's certificate is checked.
  func client(for url: String, verifies: Bool = true) throws -> HTTPClient {
    let key = try access.map(ClientKey.read)
    guard url.cut(at: UInt8(ascii: ":")).0.isSameField(as: "https") else {
      return try HTTPClient(url: url, key: key)
    }
    do {
      let tls = try TLSContext.client(
        authorities: authorities, verifies: verifies, certificate: certificate)
      return try HTTPClient(url: url, tls: tls, key: key)
    } catch let error as TLSFileError {
      throw CommandFailure(
        error, certificate: "--client-cert \(certificate?.file ?? "")",
        key: "--client-key \(certificate?.key ?? "")",
        authorities: authorities.map { "--ca-file \($0)" } ?? "authorities of the system")
    }
  }
}
