import FeatureStore
import HTTPServer

/// The header field with the version of a collection. The answer to a write has it, and a read that has it waits until
/// the collection has come that far.
enum VersionField {
  static let name = "Pincluster-Version"
  /// The header field with the seconds since everything that others had written was known. Answers have it while the
  /// store that instances share can't be reached.
  static let age = "Pincluster-Age"

  /// A function that returns the age of the instance's state; nil while the store can be reached.
  static func tellingAge(
    of link: StoreLink, _ reply: @escaping @Sendable (HTTPResponse) -> Void
  ) -> (@Sendable (HTTPResponse) -> Void)? {
    guard !link.isUp else { return nil }
    return { response in
      var response = response
      response.headers.append((age, "\(link.age / 1_000_000_000)"))
      reply(response)
    }
  }
}
