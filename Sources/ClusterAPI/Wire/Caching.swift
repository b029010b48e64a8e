import HTTPServer
import Texts

/// How long caches may keep an answer.
enum Caching: CaseIterable {
  /// As long as they like, but not without asking whether it still is the answer.
  case checked
  /// For good, as the request names the version that the answer is of.
  case forGood
  case forADay
  case never

  static let name = "Cache-Control"

  /// Keeps an answer that depends on the client's key out of shared caches.
  static func keepPrivate(_ response: inout HTTPResponse, to request: HTTPRequest) {
    response.headers.append(("Vary", "Authorization"))
    guard request.headers["Authorization"] != nil else { return }
    for index in response.headers.indices where response.headers[index].name == name {
      let value = response.headers[index].value
      let rest = value.after("public, ") ?? value[...]
      response.headers[index].value = "private, \(rest)"
    }
  }

  /// The header field.
  var field: (name: String, value: String) {
    switch self {
    case .checked: (Caching.name, "no-cache")
    case .forGood: (Caching.name, "public, max-age=31536000, immutable")
    case .forADay: (Caching.name, "public, max-age=86400")
    case .never: (Caching.name, "no-store")
    }
  }
}
