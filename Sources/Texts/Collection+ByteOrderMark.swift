extension Collection<UInt8> {
  /// The mark that some programs write before text in UTF-8.
  public static var byteOrderMark: [UInt8] { [0xEF, 0xBB, 0xBF] }

  /// The bytes behind a ``byteOrderMark``; all of them if there is none. O(1).
  public var withoutByteOrderMark: SubSequence {
    dropFirst(starts(with: Self.byteOrderMark) ? 3 : 0)
  }
}
