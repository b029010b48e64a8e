/// The segments of a path, decoded.
struct PathSegments {
  /// More than the path of any resource has.
  static let most = 8

  private let bytes: UnsafeBufferPointer<UInt8>
  /// Where each segment ends. One byte lies between two of them, and one before the first.
  private var ends: InlineArray<8, Int> = .init(repeating: 0)
  private(set) var count = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Calls `body` with the segments of a percent-encoded path. An escaped slash is part of its segment, and a
  /// slash at the end means nothing more.
  ///
  /// - Returns: nil if the path doesn't begin with a slash, or has more segments than ``most``.
  /// - Throws: ``Problem`` 400 if the path can't be decoded.
  static func with<R>(
    _ path: String, _ body: (borrowing PathSegments) -> R?
  ) throws(Problem) -> R? {
    var path = path
    let (isPlain, found) = path.withUTF8 { bytes -> (Bool, R?) in
      var segments = PathSegments(bytes)
      switch segments.split() {
      case .all: return (true, body(segments))
      case .none: return (true, nil)
      case .escaped: return (false, nil)
      }
    }
    if isPlain { return found }
    var (decoded, ends): ([UInt8], [Int]) = ([], [])
    for part in EncodedText(path).parts(separatedBy: UInt8(ascii: "/")) {
      guard let text = part.decoded() else {
        throw Problem(400, "the path holds a broken percent escape or isn't UTF-8")
      }
      decoded += text.utf8
      ends.append(decoded.count)
      decoded.append(UInt8(ascii: "/"))
    }
    guard ends.first == 0, ends.count <= most + 1 else { return nil }
    return decoded.withUnsafeBufferPointer { bytes in
      var segments = PathSegments(bytes)
      for end in ends.dropFirst() { segments.append(end) }
      segments.dropEmptyEnd()
      return body(segments)
    }
  }

  /// The result of splitting a path without decoding it.
  private enum Split {
    /// Its segments are known.
    case all
    /// No resource has such a path.
    case none
    /// It has escapes.
    case escaped
  }

  /// Finds the ends of the segments.
  private mutating func split() -> Split {
    var isKnown = bytes.first == UInt8(ascii: "/")
    for index in bytes.indices.dropFirst() {
      if bytes[index] == UInt8(ascii: "%") { return .escaped }
      guard bytes[index] == UInt8(ascii: "/") else { continue }
      isKnown = isKnown && count < PathSegments.most - 1
      if isKnown { append(index) }
    }
    // An escape may be the first character, too.
    guard isKnown else { return bytes.first == UInt8(ascii: "%") ? .escaped : .none }
    append(bytes.count)
    dropEmptyEnd()
    return .all
  }

  private mutating func append(_ end: Int) {
    ends[count] = end
    count += 1
  }

  private mutating func dropEmptyEnd() {
    if count > 1, self[count - 1].isEmpty, !self[count - 2].isEmpty { count -= 1 }
  }

  /// The bytes of a segment.
  subscript(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = index == 0 ? 1 : ends[index - 1] + 1
    return UnsafeBufferPointer(rebasing: bytes[start..<ends[index]])
  }

  /// The text of a segment.
  func text(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self) }
}
