import TestSupport
import Testing

/// A request that must be rejected, and how.
struct Attack: Sendable, CustomStringConvertible {
  /// The method.
  var method = "POST"
  /// Path and query.
  var path = "/collections/c/clusters"
  /// Header fields.
  var headers: [(String, String)] = [("Content-Type", "application/json")]
  /// The body, if any.
  var body: [UInt8]?
  /// The status that the contract names.
  let status: Int
  /// The pointer that the answer must contain.
  var pointer: String?

  /// A short form of the request.
  var description: String {
    let text = body.map { " " + String(decoding: $0.prefix(120), as: UTF8.self) } ?? ""
    return "\(method) \(path.prefix(120))\(text)"
  }

  /// A body for `clusters`.
  static func body(_ text: String, _ status: Int = 400, _ pointer: String? = nil) -> Attack {
    Attack(body: Array(text.utf8), status: status, pointer: pointer)
  }

  /// A valid body for `clusters` except for these members.
  static func members(_ text: String, _ status: Int = 400, _ pointer: String? = nil) -> Attack {
    body("{\"bbox\":[-10,-10,10,10],\"zoom\":3,\(text)}", status, pointer)
  }

  /// A GET.
  static func get(_ path: String, _ status: Int = 400, _ pointer: String? = nil) -> Attack {
    Attack(method: "GET", path: path, headers: [], status: status, pointer: pointer)
  }

  /// A body for `items`.
  static func items(
    _ text: String, _ status: Int, _ pointer: String? = nil, type: String = "application/geo+json",
    query: String = ""
  ) -> Attack {
    Attack(
      path: "/collections/c/items" + query, headers: [("Content-Type", type)],
      body: Array(text.utf8), status: status, pointer: pointer)
  }

  /// Sends attacks to a server that holds `c`, and expects each to be rejected as it says and `c` to stay
  /// unchanged.
  static func run(_ attacks: [Attack], arguments: [String] = []) throws {
    let server = try ServerProcess.holding(
      [TwinFeature(1, 1, 2), TwinFeature(2, 3, 4)], in: "c", arguments: arguments)
    let before = try server.body("/collections")
    let normal = "/collections/c/clusters?bbox=-10,-10,10,10&zoom=3"
    let answer = try server.body(normal)
    for attack in attacks {
      let response = try server.client.connect().send(
        attack.method, attack.path, headers: attack.headers, body: attack.body)
      let fault = response.fault(status: attack.status, pointer: attack.pointer)
      #expect(fault == nil, "\(attack)")
      #expect(response.header("Access-Control-Allow-Origin") == "*", "\(attack)")
      #expect(try server.body(normal) == answer, "after \(attack)")
    }
    #expect(try server.body("/collections") == before)
    server.expectHealthy()
  }
}
