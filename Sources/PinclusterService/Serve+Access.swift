import AccessControl

/// Access control: its flags and files.
extension Serve {
  /// The flags of keys and tokens.
  static let accessFlags: [Options.Flag] = [
    .init(
      "api-key-file", "FILE", "keys of clients and what they allow; SIGHUP reads it again",
      unset: "none"),
    .init(
      "jwt-key-file", "FILE",
      "public keys (PEM, JWKS) or the secret that JSON Web Tokens of clients are checked with",
      unset: "none"),
    .init(
      "jwt-audience", "NAME", "what tokens must name as their audience",
      unset: "pincluster, if they name any"),
    .init(
      switch: "allow-anonymous-writes",
      "listen on an address that others reach although there are no keys"),
  ]

  /// Reads the paths of the files of keys.
  ///
  /// - Throws: ``UsageError`` if everybody could write from everywhere, and that isn't said to be intended.
  static func access(
    _ options: Options, host: String
  ) throws(UsageError) -> AccessControl.Configuration {
    var access = AccessControl.Configuration()
    access.keyFile = options.values["api-key-file"]
    access.tokenKeyFile = options.values["jwt-key-file"]
    access.audience = options.values["jwt-audience"]
    guard access.audience == nil || access.tokenKeyFile != nil else {
      throw UsageError(
        "\(options.place("jwt-audience")) is for tokens, whose keys --jwt-key-file names")
    }
    guard access.isOn || isLoopback(host) || options.isOn("allow-anonymous-writes") else {
      throw UsageError(
        "\(options.place("host")) is \(host), where others could write without a key: give --api-key-file "
          + "or --jwt-key-file, or --allow-anonymous-writes if they may")
    }
    return access
  }

  /// Reads the files of keys again. One that can't be read changes nothing.
  func reload(_ access: AccessControl) {
    guard access.isOn else { return }
    for error in access.reload() {
      logger.log(.error, "keys not read") { $0.member("message", "\(error)") }
    }
    log(access)
  }

  /// Logs how many keys there are.
  func log(_ access: AccessControl) {
    guard access.isOn else { return }
    let counts = access.counts
    logger.log(.info, "keys") { json in
      json.member("keys", counts.keys)
      json.member("tokenKeys", counts.tokenKeys)
    }
  }
}
