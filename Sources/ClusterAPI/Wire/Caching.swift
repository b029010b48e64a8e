/// How long caches may keep an answer.
enum Caching: CaseIterable {
  /// As long as they like, but not without asking whether it still is the answer.
  case checked
  /// For good, as the request names the version that the answer is of.
  case forGood
  case forADay
  case never

  static let name = "Cache-Control"

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
