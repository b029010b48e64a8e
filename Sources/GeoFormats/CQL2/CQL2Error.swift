/// Why a filter was refused.
public enum CQL2Error: Error, Hashable, Sendable, CustomStringConvertible {
  /// It is not CQL2 text, or uses a part of CQL2 that isn't supported. `character` counts code
  /// points from 1.
  case syntax(character: Int, detail: String)
  /// It, or a part of it, is longer than is accepted.
  case tooLarge(detail: String)
  /// It is nested deeper than is accepted.
  case tooDeep(detail: String)

  /// A sentence for people.
  public var description: String {
    switch self {
    case .syntax(let character, let detail): "syntax error at character \(character): \(detail)"
    case .tooLarge(let detail), .tooDeep(let detail): detail
    }
  }
}
