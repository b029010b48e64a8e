import ClusterCore
import GeoFormats
import Texts

/// The states in which the author of a write expects a feature to be. A state has a name: the ``ContentHash`` of the
/// feature as GeoJSON.
package struct FeatureConditions: Sendable {
  /// Some states of a feature.
  package enum States: Sendable {
    /// All of them: there is such a feature.
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

  /// The states of which the feature must be in one; nil if it may be in any, or not be there.
  private let match: States?
  /// The states in which it must not be.
  private let noneMatch: States?

  /// Creates conditions.
  ///
  /// - Parameters:
  ///   - match: the states of which the feature must be in one; nil if it may be in any, or not be there.
  ///   - noneMatch: the states in which it must not be.
  package init(match: States? = nil, noneMatch: States? = nil) {
    (self.match, self.noneMatch) = (match, noneMatch)
  }

  /// Whether any state will do.
  var isEmpty: Bool { match == nil && noneMatch == nil }

  /// Refuses a write unless the conditions are met by a feature as it is; nil if there is none.
  func check(_ record: FeatureRecord?) throws(WriteOutcome.Rejection) {
    guard !isEmpty else { return }
    let name = record.map { record in
      var json = JSONWriter()
      json.feature(record)
      return ContentHash.text(of: json.bytes)
    }
    if !isMet(by: name) { throw WriteOutcome.Rejection(.condition(isThere: name != nil)) }
  }

  /// Whether the conditions are met by the state with a name; nil if there is no feature.
  private func isMet(by name: String?) -> Bool {
    if let match {
      guard let name, match.contains(name) else { return false }
    }
    return name.map { !(noneMatch?.contains($0) ?? false) } ?? true
  }
}
