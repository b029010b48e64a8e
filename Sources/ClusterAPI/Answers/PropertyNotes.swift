import ClusterCore
import Collections
import GeoFormats
import Texts

/// The sentences about properties that a request names: those that no feature has, and those without numbers where
/// numbers are meant. Without them a filter such as `country = DE` has an empty answer without a reason.
///
/// It depends on nothing but the request and the features that are seen, so that all instances say the same. A null
/// counts as none, as in filters. A collection without features has no notes.
struct PropertyNotes {
  private struct Asked {
    let name: [UInt8]
    /// Whether it may be a text that lacks its quotes.
    var isCompared = false
    /// Whether values other than numbers count for nothing.
    var needsNumbers = false
  }

  private var asked: [Asked] = []

  /// The longest name that is shown whole, in bytes.
  private static let longestName = 100
  /// The features that are looked at before all are.
  private static let sampled = 64

  /// The notes of a filter, and of an order.
  init(filter: FilterExpression?, _ order: SortKeys? = nil) {
    add(filter)
    for key in order?.keys ?? [] { add(key.name) }
  }

  /// The notes of what annotations are and carry.
  init(_ options: CellOptions) {
    if options.needs.contains(.notes) { add(options) }
  }

  private mutating func add(_ filter: FilterExpression?) {
    for property in filter?.namedProperties ?? [] where property.name != FilterExpression.id {
      add(property.name, isCompared: property.isCompared)
    }
  }

  private mutating func add(_ options: CellOptions) {
    // Also those whose members `fields` leaves out, so that the head stays as it is.
    let properties = options.properties
    add(properties.filter)
    for name in properties.keyNames { add(name) }
    if let name = properties.weightBy { add(name, needsNumbers: true) }
    for aggregate in properties.aggregates ?? [] {
      add(aggregate.property, needsNumbers: aggregate.operation != .distinct)
    }
    if let name = options.output.titleProperty { add(name) }
  }

  /// The notes of a viewport.
  init(_ request: ViewportRequest) {
    guard request.needs.contains(.notes) else { return }
    add(request.values.cell)
    if let name = request.values.histogram?.property { add(name) }
    // Other methods look at them and leave them.
    guard request.values.method == .collision else { return }
    for case let name? in [request.values.markers.priorityBy, request.values.markers.clusterBy] {
      add(name)
    }
  }

  /// Adds a property that a request names. Each property has one note at most.
  private mutating func add(_ name: [UInt8], isCompared: Bool = false, needsNumbers: Bool = false) {
    let index = asked.firstIndex { $0.name == name } ?? asked.endIndex
    if index == asked.endIndex { asked.append(Asked(name: name)) }
    if isCompared { asked[index].isCompared = true }
    if needsNumbers { asked[index].needsNumbers = true }
  }

  /// The sentences. Properties of which no column tells, and no sample, are read from all features.
  func sentences(in collection: IndexedCollection) -> [String] {
    sentences(in: collection) { collection.column(of: $0) } ?? []
  }

  /// The sentences, as far as they can be told without reading properties from all features; nil otherwise.
  func known(in collection: IndexedCollection) -> [String]? {
    sentences(in: collection) { collection.existingColumn(ColumnName($0)) }
  }

  private func sentences(
    in collection: IndexedCollection, column: ([UInt8]) -> PropertyColumn?
  ) -> [String]? {
    guard !asked.isEmpty, collection.index.count > 0 else { return [] }
    var sentences: [String] = []
    for one in asked {
      if PropertyNotes.isSeen(one.name, asNumber: one.needsNumbers, in: collection) { continue }
      guard let column = column(one.name) else { return nil }
      if column.hasValues {
        guard one.needsNumbers, !column.holdsNumbers else { continue }
        sentences.append(
          "The property \(shown(one.name)) holds no numbers, and text counts for nothing.")
        continue
      }
      let hint = one.isCompared ? " Texts go in single quotes." : ""
      sentences.append("No feature has a property \(shown(one.name)).\(hint)")
    }
    return sentences
  }

  private func shown(_ name: [UInt8]) -> String {
    let text = String(decoding: name, as: UTF8.self)
    let short = text.shortened(to: PropertyNotes.longestName)
    return short.utf8.count < text.utf8.count ? "\(short)…" : text
  }

  /// Whether a column or a sample shows that a feature has a property, or a number in it.
  private static func isSeen(
    _ name: [UInt8], asNumber: Bool = false, in collection: IndexedCollection
  ) -> Bool {
    if let column = collection.existingColumn(ColumnName(name)) {
      return asNumber ? column.holdsNumbers : column.hasValues
    }
    // Filters may have read nothing but its times.
    if !asNumber, collection.existingColumn(ColumnName(name, .times))?.hasValues == true {
      return true
    }
    var budget = SampleBudget()
    return collection.index.sampledOrdinals(sampled).contains { ordinal in
      let properties = collection.index.record(at: ordinal).properties
      guard budget.admits(properties) else { return false }
      guard let first = PropertyReader.value(of: name, in: properties)?.first else { return false }
      let isNumber = first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
      return asNumber ? isNumber : first != UInt8(ascii: "n")
    }
  }
}
