public import ClusterCore
internal import Texts

/// The rights of the holder of a key or a token.
public struct Grant: Hashable, Sendable {
  /// The operations that it allows.
  public var scope: AccessScope
  /// The collections that it covers; nil for all.
  public var collections: [CollectionPattern]?
  /// The filter that features must pass, in normal form; nil for all.
  public var filter: FilterExpression?
  /// The rate, in requests a second; nil for any number.
  public var rate: Double?

  /// Creates a grant.
  public init(
    _ scope: AccessScope, collections: [CollectionPattern]? = nil,
    filter: FilterExpression? = nil, rate: Double? = nil
  ) {
    (self.scope, self.collections, self.rate) = (scope, collections, rate)
    self.filter = filter?.normalised
  }

  /// Everything, for everybody, as it is without keys.
  public static let everything = Grant(.admin)
  /// Nothing but resources outside of collections.
  public static let nothing = Grant(.read, collections: [])

  /// Whether nothing is kept from its holder.
  public var coversEverything: Bool { collections == nil && filter == nil }

  /// Whether it is about a collection, which needn't exist.
  public func covers(_ collection: String) -> Bool {
    collections.map { $0.contains { $0.matches(collection) } } ?? true
  }
}

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
