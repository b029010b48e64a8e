import ClusterCore
import Collections
import GeoFormats
import Threading

/// Encodes the titles and subtitles of annotations.
struct TitleWriter {
  private let property: [UInt8]?
  private let subtitleLimit: Int
  private let index: FeatureIndex
  /// Tells quickly which features have no title, if many have none.
  private let column: PropertyColumn?

  init(_ options: AnnotationOptions, _ collection: IndexedCollection) {
    property = options.neededTitleProperty
    subtitleLimit = options.subtitleLimit
    index = collection.index
    column = property.flatMap {
      TitleWriter.isRare($0, in: collection) ? collection.column(of: $0) : nil
    }
  }

  /// Whether, judging by a sample, so many features of a large collection have no title that a column is
  /// needed to find those that have one.
  static func isRare(_ property: [UInt8], in collection: IndexedCollection) -> Bool {
    guard collection.index.count > fewFeatures else { return false }
    let sample = collection.index.sampledOrdinals(64)
    var budget = SampleBudget()
    let missing = sample.count {
      let properties = collection.index.record(at: $0).properties
      return budget.admits(properties) && PropertyReader.value(of: property, in: properties) == nil
    }
    return missing > sample.count / 2
  }

  /// The features that are looked at one by one in a millisecond or less.
  private static let fewFeatures = 20_000

  /// Whether features have titles at all.
  var hasProperty: Bool { property != nil }

  /// Writes the member `title`.
  func writeTitle(_ annotation: Annotation, into json: inout JSONWriter) {
    json.key("title")
    if annotation.isCluster {
      json.beginString()
      json.part(annotation.count)
      json.part(" annotations")
      json.endString()
    } else if let title = title(of: annotation.first) {
      json.beginString()
      title.write(into: &json)
      json.endString()
    } else {
      json.value("1 annotation")
    }
  }

  /// Writes the member `subtitle`.
  func writeSubtitle(
    _ annotation: Annotation, _ result: ClusterResult, into json: inout JSONWriter
  ) {
    json.key("subtitle")
    guard annotation.isCluster, hasProperty else { return json.null() }
    json.beginString()
    var count = 0
    if subtitleLimit > 0, column?.isAllMissing != true {
      result.forEachFeature(of: annotation) { ordinal in
        if let title = title(of: ordinal) {
          if count > 0 { json.part(", ") }
          title.write(into: &json)
          count += 1
        }
        return count < subtitleLimit && json.count <= AnswerLimit.whole && !Cancellation.poll(100)
      }
    }
    json.endString()
  }

  /// A property's value as text: the content of a JSON string, or JSON text that must be escaped.
  private enum Title {
    case escaped(UnsafeRawBufferPointer)
    case plain(UnsafeRawBufferPointer)

    /// Writes the text as a part of a JSON string.
    func write(into json: inout JSONWriter) {
      switch self {
      case .escaped(let inside): json.withRoom(inside.count) { $0.bytes(inside) }
      case .plain(let value): json.appendEscaped(value)
      }
    }
  }

  /// The title of a feature; nil if the property is missing or null.
  private func title(of ordinal: Int) -> Title? {
    if let column, column.code(at: ordinal) == PropertyColumn.missing { return nil }
    guard let property else { return nil }
    let properties = index.record(at: ordinal).properties
    Cancellation.poll(properties.count / 4)
    guard let value = PropertyReader.value(of: property, in: properties), let first = value.first
    else { return nil }
    if first == UInt8(ascii: "\"") {
      return .escaped(UnsafeRawBufferPointer(rebasing: value.dropFirst().dropLast()))
    }
    return first == UInt8(ascii: "n") ? nil : .plain(value)
  }
}

/// How much of the properties of sampled features is read, as some may have very large ones.
struct SampleBudget {
  private var bytes: Int

  /// A budget of so many bytes, which are read in some fifty microseconds by default.
  init(bytes: Int = 64 << 10) { self.bytes = bytes }

  /// Whether properties may be read; if so, that much of the budget is spent.
  mutating func admits(_ properties: UnsafeRawBufferPointer) -> Bool {
    guard properties.count <= bytes else { return false }
    bytes -= properties.count
    return true
  }
}
