import ClusterCore
import GeoFormats

/// The most bytes of an answer, before it is compressed.
enum AnswerLimit {
  /// The most of a page of features, which has a link to the next one. A page of one feature may have more.
  static let page = 8 << 20
  /// The most of an answer that has no pages. What writes one ends early beyond that.
  static let whole = 32 << 20

  /// Refuses an answer that is too long.
  static func check(_ json: borrowing JSONWriter) throws(ImpossibleRequest) {
    try check(count: json.count)
  }

  /// Refuses an answer of too many bytes.
  static func check(count: Int) throws(ImpossibleRequest) {
    guard count > whole else { return }
    throw ImpossibleRequest(
      field: "properties",
      detail:
        "the answer is longer than \(whole >> 20) MiB; a smaller rect, fewer properties or fewer "
        + "members would do")
  }

  /// Those first features of a page that fit into it, at least one.
  static func page(_ ordinals: [Int], of index: FeatureIndex) -> ArraySlice<Int> {
    var bytes = 0
    for (number, ordinal) in ordinals.enumerated() {
      bytes += index.record(at: ordinal).properties.count + otherBytes
      if bytes > page, number > 0 { return ordinals[..<number] }
    }
    return ordinals[...]
  }

  /// About the bytes of a feature without its properties.
  static let otherBytes = 128
}
