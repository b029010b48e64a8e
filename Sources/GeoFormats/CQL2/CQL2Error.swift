/// The reason why a filter was rejected.
public enum CQL2Error: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text is not CQL2, or uses a part of CQL2 that is not supported. `character` counts code
  /// points from 1.
  case syntax(character: Int, detail: String)
  /// The JSON is not CQL2, or uses a part of CQL2 that is not supported. The pointer is into the filter.
  case json(pointer: String, detail: String)
  /// A literal is none of its kind, such as a coordinate beyond the world.
  case impossible(detail: String)
  /// The filter or a part of it is too long, or a geometry or interval is impossible.
  case tooLarge(detail: String)
  /// The filter is nested too deeply.
  case tooDeep(detail: String)

  /// A sentence for the client.
  public var description: String {
    switch self {
    case .syntax(let character, let detail): "syntax error at character \(character): \(detail)"
    case .json(let pointer, let detail): pointer.isEmpty ? detail : "at \(pointer): \(detail)"
    case .impossible(let detail), .tooLarge(let detail), .tooDeep(let detail): detail
    }
  }
}
