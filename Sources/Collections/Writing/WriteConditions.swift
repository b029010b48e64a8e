import ClusterCore
import FeatureStore
import GeoFormats
import Texts

/// The states in which the author of a write expects what it changes to be. A state has names: of a feature, the
/// ``ContentHash`` of its GeoJSON; of a collection, see ``CollectionConditions``.
package struct WriteConditions: Sendable {
  /// Some states of a feature or a collection.
  package enum States: Sendable {
    /// All of them: it is there.
    case any
    /// Those with some names.
    case named([[UInt8]])

    fileprivate func contains(_ name: String) -> Bool {
      switch self {
      case .any: true
      case .named(let names): names.contains { name.utf8.elementsEqual($0) }
      }
    }
  }

  /// The states of which it must be in one; nil if it may be in any, or not be there.
  private let match: States?
  /// The states in which it must not be.
  private let noneMatch: States?

  /// Creates conditions.
  ///
  /// - Parameters:
  ///   - match: the states of which it must be in one; nil if it may be in any, or not be there.
  ///   - noneMatch: the states in which it must not be.
  package init(match: States? = nil, noneMatch: States? = nil) {
    (self.match, self.noneMatch) = (match, noneMatch)
  }

  /// Whether any state will do.
  package var isEmpty: Bool { match == nil && noneMatch == nil }

  /// Refuses a write unless the conditions are met by a feature as it is; nil if there is none.
  ///
  /// - Parameter tellsNever: whether one that never expires says so.
  func check(_ record: FeatureRecord?, tellsNever: Bool) throws(WriteOutcome.Rejection) {
    guard !isEmpty else { return }
    try check(
      names: record.map { record in
        var json = JSONWriter()
        json.feature(record, tellsNever: tellsNever)
        return [ContentHash.text(of: json.bytes)]
      })
  }

  /// Refuses a write unless the conditions are met by the state with some names; nil if it isn't there.
  fileprivate func check(names: [String]?) throws(WriteOutcome.Rejection) {
    func isOne(of states: States) -> Bool { names?.contains(where: states.contains) ?? false }
    guard match.map(isOne) ?? true, !(noneMatch.map(isOne) ?? false) else {
      throw WriteOutcome.Rejection(.condition(isThere: names != nil))
    }
  }
}

/// The states in which the author of a write expects a collection to be, or its list of features.
package struct CollectionConditions: Sendable {
  private let conditions: WriteConditions
  /// The names of a collection's state.
  private let names: @Sendable (CollectionInfo) -> [String]

  /// Creates conditions; nil if any state will do.
  ///
  /// - Parameter names: the names of a collection's state, by what is said of it.
  package init?(
    _ conditions: WriteConditions, names: @escaping @Sendable (CollectionInfo) -> [String]
  ) {
    if conditions.isEmpty { return nil }
    (self.conditions, self.names) = (conditions, names)
  }

  /// Refuses a write unless the conditions are met by a collection as it is; nil if there is none.
  func check(_ info: CollectionInfo?) throws(WriteOutcome.Rejection) {
    try conditions.check(names: info.map(names))
  }
}
