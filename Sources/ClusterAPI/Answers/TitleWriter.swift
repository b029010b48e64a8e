import ClusterCore
import GeoFormats

/// The texts of annotations.
struct TitleWriter {
  private let property: [UInt8]?
  private let subtitleLimit: Int
  private let index: FeatureIndex
  /// Tells features without a title apart quickly, where they are many.
  private let column: PropertyColumn?

  init(_ options: AnnotationOptions, _ collection: IndexedCollection) {
    property = options.neededTitleProperty
    subtitleLimit = options.subtitleLimit
    index = collection.index
    column = options.neededTitleProperty.flatMap {
      TitleWriter.isRare($0, in: collection) ? collection.column(of: $0) : nil
    }
  }

  /// Whether so many of a large collection's features have no title that looking for those who have
  /// one takes a column, by a look at some of them.
  static func isRare(_ property: [UInt8], in collection: IndexedCollection) -> Bool {
    let samples = 64
    guard collection.index.count > Effort.fewFeatures else { return false }
    let missing = (0..<samples).count { sample in
      let offset = sample * (collection.index.count / samples)
      return FeatureScope(collection).ordinals(in: nil, offset: offset, limit: 1).allSatisfy {
        place in
        PropertyReader.value(of: property, in: collection.index.record(at: place).properties) == nil
      }
    }
    return missing > samples / 2
  }

  /// Whether features have titles at all.
  var hasProperty: Bool { property != nil }

  /// The members `title` and `subtitle` where features have no titles, with a comma before them.
  @inline(__always)
  static func writeCount(_ count: Int, into room: inout JSONRoom) {
    room.text(",\"title\":\"")
    room.integer(count)
    if count > 1 {
      room.text(" annotations\",\"subtitle\":null")
    } else {
      room.text(" annotation\",\"subtitle\":null")
    }
  }

  /// The members `title` and `subtitle`.
  func write(
    _ annotation: Annotation, _ result: ClusterResult, into json: inout JSONWriter
  ) {
    writeTitle(annotation, into: &json)
    writeSubtitle(annotation, result, into: &json)
  }

  /// The member `title`.
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

  /// The member `subtitle`.
  func writeSubtitle(
    _ annotation: Annotation, _ result: ClusterResult, into json: inout JSONWriter
  ) {
    guard annotation.isCluster, hasProperty else { return json.nullMember("subtitle") }
    json.key("subtitle")
    json.beginString()
    var count = 0
    if subtitleLimit > 0, column?.isAllMissing != true {
      result.forEachFeature(of: annotation) { place in
        if let title = title(of: place) {
          if count > 0 { json.part(", ") }
          title.write(into: &json)
          count += 1
        }
        return count < subtitleLimit
      }
    }
    json.endString()
  }

  /// A property's value as a text: the inside of a JSON string, or JSON text that is to be escaped.
  private enum Title {
    case escaped(UnsafeRawBufferPointer)
    case plain(UnsafeRawBufferPointer)

    /// Writes it as a part of a string.
    func write(into json: inout JSONWriter) {
      switch self {
      case .escaped(let inside): json.withRoom(inside.count) { $0.bytes(inside) }
      case .plain(let value): json.appendEscaped(value)
      }
    }
  }

  /// The title of a feature; nil where the property is missing or null.
  private func title(of place: Int) -> Title? {
    if let column, column.code(at: place) == PropertyColumn.missing { return nil }
    guard let property,
      let value = PropertyReader.value(of: property, in: index.record(at: place).properties),
      let first = value.first
    else { return nil }
    if first == UInt8(ascii: "\"") {
      return .escaped(UnsafeRawBufferPointer(rebasing: value.dropFirst().dropLast()))
    }
    return first == UInt8(ascii: "n") ? nil : .plain(value)
  }
}
