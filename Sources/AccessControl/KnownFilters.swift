internal import ClusterCore
internal import GeoFormats

/// The filters that were read last, so that each is read once: those of many keys are the same.
struct KnownFilters {
  /// The JSON that a filter is written in. An array of bytes would be hashed one by one.
  private struct Text: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// In normal form.
  private var filters: [Text: FilterExpression] = [:]
  /// The most that are remembered.
  private static let most = 4096

  /// Reads a filter: a text in CQL2, or CQL2 JSON.
  ///
  /// - Throws: ``Fault``, which names neither properties nor values of the filter.
  mutating func filter(_ value: JSONValue) throws(Fault) -> FilterExpression {
    let text = Text(bytes: Array(value.text))
    if let known = filters[text] { return known }
    do throws(CQL2Error) {
      let filter =
        if let text = value.string { try CQL2.normal(text) } else { try CQL2.normal(value) }
      if filters.count >= KnownFilters.most { filters = [:] }
      filters[text] = filter
      return filter
    } catch {
      throw Fault("its filter can't be read: \(KnownFilters.place(of: error))")
    }
  }

  /// The error of a filter, without its text.
  private static func place(of error: CQL2Error) -> String {
    switch error {
    case .syntax(let character, _): "it is not CQL2 at character \(character)"
    case .json(let pointer, _): "it is not CQL2 JSON\(pointer.isEmpty ? "" : " at \(pointer)")"
    case .impossible: "it holds an impossible literal"
    case .tooLarge(let detail), .tooDeep(let detail): detail
    }
  }
}
