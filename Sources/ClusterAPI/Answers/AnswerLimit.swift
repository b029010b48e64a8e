import ClusterCore
import GeoFormats
import Threading

/// The most bytes of an answer, before it is compressed.
enum AnswerLimit {
  /// The most of a page of features, which has a link to the next one. A page of one feature may have more.
  static let page = 8 << 20
  /// The most of an answer that has no pages. Its writer ends early beyond that.
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
  ///
  /// - Parameters:
  ///   - selection: the properties that are written of each.
  ///   - otherBytes: about the bytes of a feature without its properties.
  static func page(
    _ ordinals: [Int], of index: FeatureIndex,
    _ selection: AnnotationOptions.PropertySelection = .all, otherBytes: Int = otherBytes
  ) -> ArraySlice<Int> {
    var (bytes, readBytes) = (0, 0)
    for (number, ordinal) in ordinals.enumerated() {
      if Cancellation.poll(20) { return [] }
      let properties = index.record(at: ordinal).properties
      bytes += otherBytes
      switch selection {
      case .all: bytes += properties.count
      case .none: break
      case .names(let names):
        readBytes += properties.count
        if Cancellation.poll(50 &+ properties.count) { return [] }
        PropertyReader.forEachSelected(names, in: properties) { bytes += $0.count + $1.count + 2 }
      }
      if bytes > page || readBytes > pageOfRead, number > 0 { return ordinals[..<number] }
    }
    return ordinals[...]
  }

  /// About the bytes of a feature without its properties.
  static let otherBytes = 128
  /// The most bytes of properties that are looked at for a page.
  static let pageOfRead = 8 * page
}
