/// The properties of a collection that say when its features were or are.
public enum TemporalProperties: Sendable, Equatable {
  /// A property with an instant.
  case instant(String)
  /// Properties with the start and the end.
  case span(start: String, end: String)

  /// The names of the properties.
  public var names: [String] {
    switch self {
    case .instant(let name): [name]
    case .span(let start, let end): [start, end]
    }
  }

  /// Creates it from its columns.
  init?(start: String?, end: String?) {
    guard let start else { return nil }
    self = end.map { .span(start: start, end: $0) } ?? .instant(start)
  }

  /// Its columns.
  var columns: (start: String, end: String?) {
    switch self {
    case .instant(let name): (name, nil)
    case .span(let start, let end): (start, end)
    }
  }
}
