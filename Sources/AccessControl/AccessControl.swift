internal import Texts
import Threading

/// The grants of a request's sender: by the keys of one file and the tokens that keys of another verify. Both
/// files can be read again while it is used, on any thread.
public final class AccessControl: Sendable {
  /// The paths of the files, and the service's name in tokens.
  public struct Configuration: Sendable {
    /// The file of keys; nil for none.
    public var keyFile: String?
    /// The file of the keys that tokens are checked with; nil if no token is taken.
    public var tokenKeyFile: String?
    /// The audience that tokens must name; nil if they needn't name any, and may name `pincluster`.
    public var audience: String?

    /// No files.
    public init() {}

    /// Whether there are keys or tokens, so that each request needs one.
    public var isOn: Bool { keyFile != nil || tokenKeyFile != nil }
  }

  private struct State: Sendable {
    var keys = KeyFile()
    /// The file of the keys that tokens are checked with; nil before it is read, and without one.
    var tokenFile: TokenKeyFile?
    /// The keys of that file.
    var tokenKeys: [TokenKey] { tokenFile?.keys ?? [] }
    /// Counts the changes of those keys.
    var generation = 0
    /// Tokens that were checked with them.
    var tokens: [Digest: Principal] = [:]
  }

  private let configuration: Configuration
  private let state: Locked<State>
  private let rates = RateLimit()
  /// The seconds since 1970 (UTC).
  private let clock: @Sendable () -> Double

  /// The audience of tokens for this service if nothing else is configured.
  private static let usualAudience = "pincluster"
  /// The most tokens whose check is remembered.
  private static let mostTokens = 4096

  /// Reads the files.
  ///
  /// - Parameter clock: tells the seconds since 1970 (UTC).
  /// - Throws: ``AccessFileError``.
  public init(
    _ configuration: Configuration,
    clock: @escaping @Sendable () -> Double = { Double(SystemTime.now) / 1e6 }
  ) throws(AccessFileError) {
    (self.configuration, self.clock) = (configuration, clock)
    state = Locked(State())
    if let error = reload().first { throw error }
  }

  /// Whether each request needs a key.
  public var isOn: Bool { configuration.isOn }

  /// The number of keys, and of those that tokens are checked with.
  public var counts: (keys: Int, tokenKeys: Int) {
    state.withLock { ($0.keys.grants.count, $0.tokenKeys.count) }
  }

  /// Reads the files again. A file that can't be read leaves its keys as they were, and so does a secret where keys or a set
  /// of them were: that may as well be anything else that was written in their place.
  ///
  /// - Returns: the errors of files that couldn't be read.
  public func reload() -> [AccessFileError] {
    var errors: [AccessFileError] = []
    func read<R>(_ path: String?, _ make: ([UInt8]) throws(Fault) -> R) -> R? {
      guard let path else { return nil }
      do throws(AccessFileError) {
        return try SecretFile.read(path, make)
      } catch {
        errors.append(error)
        return nil
      }
    }
    let keys = read(configuration.keyFile) { bytes throws(Fault) in try KeyFile(bytes) }
    let former = state.withLock { $0.tokenFile }
    let tokenFile = read(configuration.tokenKeyFile) { bytes throws(Fault) in
      let file = try TokenKeyFile(bytes)
      if file.isSecret, former?.isSecret == false {
        throw Fault(
          "it isn't keys any more, as it was; to go over to a secret, restart the service")
      }
      return file
    }
    // The keys in force before are freed after the lock is released.
    _ = state.withLock { state in
      let before = state
      state.keys = keys ?? state.keys
      // Tokens that were checked with the same keys needn't be checked again, nor end their streams.
      guard let tokenFile, tokenFile.digest == nil || tokenFile.digest != former?.digest
      else { return before }
      state.tokenFile = tokenFile
      state.generation += 1
      state.tokens = [:]
      return before
    }
    return errors
  }

  /// The principal of a request, if no signature has to be checked for that; nil otherwise. Counts
  /// nothing.
  ///
  /// - Parameter authorization: the field of the request.
  /// - Throws: ``AccessFailure``.
  public func known(_ authorization: String?) throws(AccessFailure) -> Principal? {
    guard isOn else { return .unchecked }
    guard let credentials = try AccessControl.credentials(authorization) else {
      guard let grant = state.withLock({ $0.keys.anonymous }) else { throw .missing }
      return Principal(grant: grant, holder: .nobody)
    }
    guard let digest = Digest(of: credentials) else { throw .unknown }
    let (found, takesTokens) = state.withLock { state in
      let principal =
        state.keys.grants[digest].map { Principal(grant: $0, holder: .key(digest)) }
        ?? state.tokens[digest]
      return (principal, !state.tokenKeys.isEmpty)
    }
    if let found, isValid(found) { return found }
    guard takesTokens, Token.isOne(credentials) else { throw .unknown }
    return nil
  }

  /// The principal of a request with a token, after a check of its signature, which takes about a tenth
  /// of a millisecond.
  ///
  /// - Throws: ``AccessFailure``.
  public func verified(_ authorization: String?) throws(AccessFailure) -> Principal {
    guard let credentials = try AccessControl.credentials(authorization),
      let digest = Digest(of: credentials)
    else { throw .missing }
    let (keys, generation) = state.withLock { ($0.tokenKeys, $0.generation) }
    let token = try Token(
      credentials, keys: keys, audience: configuration.audience ?? AccessControl.usualAudience,
      isAudienceNeeded: configuration.audience != nil, now: clock())
    // A token with another signature of the same content is the same token.
    let signed = Array(credentials[..<(credentials.lastIndex(of: UInt8(ascii: ".")) ?? 0)])
    guard let name = Digest(of: signed) else { throw .unknown }
    let principal = Principal(
      grant: token.grant,
      holder: .token(name, generation: generation, expires: token.expires))
    state.withLock { state in
      guard state.generation == generation else { return }
      if state.tokens.count >= AccessControl.mostTokens { state.tokens = [:] }
      state.tokens[digest] = principal
    }
    return principal
  }

  /// Counts a request of a principal with a limit of rates.
  ///
  /// - Parameter client: a number for the client's address, which identifies clients without a key.
  /// - Throws: ``AccessFailure/tooOften(_:)``.
  public func count(_ principal: Principal, from client: UInt64) throws(AccessFailure) {
    guard let rate = principal.grant.rate else { return }
    let caller = principal.digest.map(RateLimit.Caller.key) ?? .address(client)
    try rates.take(caller, rate: rate, now: Double(MonotonicTime.now) / 1e9)
  }

  /// Whether a principal still has its grant. For answers that have no end.
  public func isValid(_ principal: Principal) -> Bool { loss(principal) == nil }

  /// The reason why a principal no longer has its grant; nil if it has.
  public func loss(_ principal: Principal) -> AccessFailure? {
    if !isOn { return nil }
    func compared(_ grant: Grant?, _ missing: AccessFailure) -> AccessFailure? {
      grant == principal.grant ? nil : grant == nil ? missing : .changed
    }
    switch principal.holder {
    case .nobody: return compared(state.withLock { $0.keys.anonymous }, .missing)
    case .key(let digest): return compared(state.withLock { $0.keys.grants[digest] }, .unknown)
    case .token(_, let generation, let expires):
      guard clock() < expires else { return .token(Token.expired) }
      return state.withLock { $0.generation } == generation ? nil : .changed
    }
  }

  /// The key or token of a field Authorization; nil if there is no such field.
  private static func credentials(_ authorization: String?) throws(AccessFailure) -> [UInt8]? {
    guard let authorization else { return nil }
    // The longest field, with some spaces.
    let longest = max(Token.longest, KeyFile.longestKey)
    guard authorization.utf8.count <= longest + 100 else { throw .malformed }
    let parts = authorization.utf8.split(separator: UInt8(ascii: " "))
    guard parts.count == 2, parts[1].count <= longest,
      Substring(parts[0]).isSameField(as: "bearer")
    else { throw .malformed }
    return Array(parts[1])
  }
}

/// The reason why a request is refused by its key or token alone.
public enum AccessFailure: Error, Sendable, Equatable {
  /// It has no key, and needs one.
  case missing
  /// Its field Authorization isn't of the form `Bearer KEY`.
  case malformed
  /// Its key isn't known.
  case unknown
  /// Its grant was changed while it was answered.
  case changed
  /// Its token is not valid: why.
  case token(String)
  /// Its key was used too often: the seconds until it may be used again.
  case tooOften(Double)
}
