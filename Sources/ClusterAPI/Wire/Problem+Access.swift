import AccessControl

/// Refusals for want of a grant (RFC 6750, RFC 9110 section 11).
extension Problem {
  /// The field that says which key is wanted, and what is wrong with the one that was given.
  private static func challenges(_ fault: String?) -> [(name: String, value: String)] {
    let scheme = "Bearer realm=\"pincluster\""
    return [("WWW-Authenticate", fault.map { "\(scheme), \($0)" } ?? scheme)]
  }

  /// The refusal of a request that the client's grant doesn't cover.
  static func forbidden(_ detail: String, needs scope: AccessScope? = nil) -> Problem {
    let challenge = scope.map { "error=\"insufficient_scope\", scope=\"\($0.name)\"" }
    return Problem(403, detail, headers: challenge.map(challenges) ?? [], refusal: .forbidden)
  }

  /// The detail of a feature that its author may not write. It must not tell whether there is a feature that they can't see.
  static let forbiddenFeature = "the key may not write this feature"

  /// The refusal of a request by its key alone.
  init(_ failure: AccessFailure) {
    switch failure {
    case .missing:
      self.init(unauthorized: "this needs a key, in the field Authorization as Bearer KEY", nil)
    case .malformed:
      self.init(
        unauthorized: "the field Authorization is not of the form Bearer KEY", "invalid_request")
    case .unknown: self.init(unauthorized: "the key is not known")
    case .changed: self.init(unauthorized: "the rights of the key have changed")
    case .token(let reason): self.init(unauthorized: "the token is not valid: \(reason)")
    case .tooOften(let seconds):
      // Longer waits are not worth telling apart.
      let rounded = Int(min(seconds, 86_400).rounded(.up))
      self.init(
        429, "the key is used more often than it may be",
        headers: [("Retry-After", "\(max(rounded, 1))")], refusal: .rate)
    }
  }

  private init(unauthorized detail: String, _ error: String? = "invalid_token") {
    let fault = error.map { "error=\"\($0)\"" }
    self.init(401, detail, headers: Problem.challenges(fault), refusal: .unauthorized)
  }
}
