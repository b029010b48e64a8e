import AccessControl
import Glibc
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
  private let keyFile: String?
  private let certificate: (file: String, key: String)?

  init(_ options: Options) throws(UsageError) {
    authorities = options.values["ca-file"]
    keyFile = options.values["key-file"]
    switch (options.values["client-cert"], options.values["client-key"]) {
    case (let file?, let key?): certificate = (file, key)
    case (nil, nil): certificate = nil
    default: throw UsageError("--client-cert and --client-key need each other")
    }
  }

  /// A client for a URL.
  ///
  /// - Parameter verifies: whether the service's certificate is checked.
  func client(for url: String, verifies: Bool = true) throws -> HTTPClient {
    let key = try keyFile.map(ClientKey.read)
    var trust = HTTPClient.Trust(verifies: verifies)
    if url.cut(at: UInt8(ascii: ":")).0.isSameField(as: "https") {
      (trust.authorities, trust.certificate) = (authorities, certificate)
      let files = [
        ("ca-file", authorities), ("client-cert", certificate?.file),
        ("client-key", certificate?.key),
      ]
      for case (let flag, let file?) in files where access(file, R_OK) != 0 {
        throw CommandFailure("--\(flag) \(file)", errno)
      }
    }
    return try HTTPClient(url: url, trust: trust, key: key)
  }
}
