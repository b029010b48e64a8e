internal import Texts

/// The scope of a key or token. Each scope includes those before it.
public enum AccessScope: Int, Sendable, Comparable, CaseIterable {
  /// To read.
  case read
  /// To write features, and to create collections and change their descriptions.
  case write
  /// To drop collections.
  case admin

  /// The scope with a name.
  init?(name: some StringProtocol) {
    guard let scope = AccessScope.allCases.first(where: { name.isSame(as: $0.name) }) else {
      return nil
    }
    self = scope
  }

  /// Its name, as in key files and tokens.
  public var name: String {
    switch self {
    case .read: "read"
    case .write: "write"
    case .admin: "admin"
    }
  }

  /// Whether one scope allows less than another.
  public static func < (a: AccessScope, b: AccessScope) -> Bool { a.rawValue < b.rawValue }
}
