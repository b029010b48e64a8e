import CLibPQ
internal import Texts

/// The address of a PostgreSQL database, and the user and parameters for it.
public struct PostgresAddress: Sendable {
  /// The hosts to try, in order.
  let hosts: [PostgresHost]
  /// The database as it is named in errors and logs: without a password.
  public let name: String

  /// Reads a URI or a list of parameters, as libpq takes them:
  /// https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING. It may name several hosts.
  ///
  /// - Throws: the reason why it isn't one.
  public init(_ text: String) throws(Invalid) {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &message) else {
      // The message repeats the address, which may hold a password.
      PQfreemem(message)
      throw Invalid(reason: "not of the form postgresql://user@host/database")
    }
    defer { PQconninfoFree(options) }
    var values: PostgresHost = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        values[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    guard values["service"] == nil else { throw Invalid(reason: "a service file can't be used") }
    func parts(_ keyword: String) -> [String] {
      (values[keyword] ?? "").parts(separatedBy: UInt8(ascii: ",")).map(String.init)
    }
    let (names, addresses, ports) = (parts("host"), parts("hostaddr"), parts("port"))
    // libpq takes what is behind the first one for a host and a port, so a part of a password would be in errors.
    guard !names.contains(where: { !$0.begins(with: "/") && $0.utf8.dropFirst().contains(0x40) }),
      ports.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) })
    else { throw Invalid(reason: "an @ in a user's name or a password must be written as %40") }
    let count = max(names.count, addresses.count)
    guard [1, count].contains(ports.count), [0, 1, count].contains(names.count),
      [0, 1, count].contains(addresses.count), count <= PostgresAddress.maximumHosts
    else { throw Invalid(reason: "its hosts and ports aren't equally many, or more than 16") }
    for (keyword, value) in PostgresAddress.defaults where values[keyword] == nil {
      values[keyword] = value
    }
    hosts = (0..<count).map { index in
      var host = values
      if names.count > 1 { host["host"] = names[index] }
      if addresses.count > 1 { host["hostaddr"] = addresses[index] }
      if ports.count > 1 { host["port"] = ports[index] }
      return host
    }
    let database = values["dbname"] ?? values["user"] ?? ""
    let places = hosts.map { host in
      let port = host["port"].map { $0.isEmpty ? "" : ":\($0)" } ?? ""
      return (host["host"] ?? host["hostaddr"] ?? "") + port
    }
    name = "postgresql://\(places.joined(separator: ","))/\(database)"
  }

  /// Why a text isn't an address.
  public struct Invalid: Error {
    /// A clause, without the text.
    public let reason: String
  }

  private static let maximumHosts = 16

  /// The defaults of parameters that the address doesn't set. A server that doesn't answer, and one that only
  /// reads, are to be noticed within seconds.
  private static let defaults = [
    "fallback_application_name": "pincluster", "client_encoding": "UTF8",
    "target_session_attrs": "read-write", "tcp_user_timeout": "5000", "keepalives": "1",
    "keepalives_idle": "3", "keepalives_interval": "1", "keepalives_count": "3",
  ]
}

/// The parameters of libpq with which a host is reached.
typealias PostgresHost = [String: String]  // Characters: keywords of libpq
