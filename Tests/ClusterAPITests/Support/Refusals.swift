import TestSupport

extension TwinRefusal {
  /// The pointers that the service may name for it, in a body.
  var pointers: Set<String> {
    switch self {
    case .impossibleRect: ["/bbox", "/region", "/visibleMapRect"]
    case .zoomOutOfRange: ["/zoom", "/viewportWidth"]
    case .tooManyCells: ["/cellSize", "/debug"]
    case .overLimit: ["/limit"]
    }
  }
}
