import GeoFormats
import HTTPServer

/// The failure of a command, as one line for standard error.
struct CommandFailure: Error, CustomStringConvertible {
  var description: String

  init(description: String) { self.description = description }

  /// The failure of a request to a service, by its answer.
  init(_ answer: HTTPResponse) {
    let problem = try? JSONParser().parse(answer.body)
    let detail = problem?["detail"]?.string ?? "no further explanation"
    self.init(description: "the service answered \(answer.status): \(detail)")
  }

  /// A file can't be used for TLS.
  ///
  /// - Parameters:
  ///   - certificate: the file of the certificate, with its flag, and so on.
  init(_ error: TLSFileError, certificate: String, key: String, authorities: String) {
    let file =
      switch error.file {
      case .certificate: certificate
      case .key: key
      case .authorities: authorities
      case .pair: "\(certificate) and \(key)"
      }
    self.init(description: "\(file): \(error.reason)")
  }
}
