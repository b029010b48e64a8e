import AccessControl

/// Refusals for want of a grant (RFC 6750, RFC 9110 section 11).
extension Problem {
  private static let scheme = "Bearer realm=\"pincluster\""

  /// The refusal of a request that the client's grant doesn't cover.
  static func forbidden(_ detail: String, needs scope: AccessScope? = nil) -> Problem {
    let challenge = scope.map {
      "\(scheme), error=\"insufficient_scope\", scope=\"\($0.name)\""
    }
    var problem = Problem(
      403, detail, headers: challenge.map { [("WWW-Authenticate", $0)] } ?? [])
    problem.refusal = .forbidden
    return problem
  }

  /// The detail of a feature that its author may not write. It must not tell whether there is a feature that they can't see.
  static let forbiddenFeature = "the key may not write this feature"

  /// The refusal of a request by its key alone.
  init(_ failure: AccessFailure) {
    switch failure {
    case .missing:
      self.init(
        401, "this needs a key, in the field Authorization as Bearer KEY",
        headers: [("WWW-Authenticate", Problem.scheme)])
    case .malformed:
      self.init(
        401, "the field Authorization is not of the form Bearer KEY",
        headers: [("WWW-Authenticate", "\(Problem.scheme), error=\"invalid_request\"")])
    case .unknown: self.init(invalidToken: "the key is not known")
    case .changed: self.init(invalidToken: "the rights of the key have changed")
    case .token(let reason): self.init(invalidToken: "the token is not valid: \(reason)")
    case .tooOften(let seconds):
      // Longer waits are not worth telling apart.
      let rounded = Int(min(seconds, 86_400).rounded(.up))
      self.init(
        429, "the key is used more often than it may be",
        headers: [("Retry-After", "\(max(rounded, 1))")])
      refusal = .rate
      return
    }
    refusal = .unauthorized
  }

  private init(invalidToken detail: String) {
    self.init(
      401, detail, headers: [("WWW-Authenticate", "\(Problem.scheme), error=\"invalid_token\"")])
  }
}
