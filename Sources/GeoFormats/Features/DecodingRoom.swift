/// Memory for decoded features, which readers ask for in steps. A few bytes of a table can stand for many, as
/// each row repeats the names of its columns; so the length of a body says little.
public struct DecodingRoom: Sendable {
  /// As much as there is.
  public static let unlimited = DecodingRoom(granted: .max) { _ throws(FormatError) in .max }

  /// The bytes that may be used.
  private(set) var granted: Int
  private let ask: @Sendable (_ needed: Int) throws(FormatError) -> Int

  /// Creates room.
  ///
  /// - Parameters:
  ///   - granted: the bytes that may be used without asking.
  ///   - ask: called with the bytes that are needed in all; returns as many or more, or refuses.
  public init(
    granted: Int, ask: @escaping @Sendable (_ needed: Int) throws(FormatError) -> Int
  ) {
    (self.granted, self.ask) = (granted, ask)
  }

  /// Makes sure that there is room for so many bytes in all.
  mutating func grow(to needed: Int) throws(FormatError) {
    if needed > granted { granted = try ask(needed) }
  }
}
