import ClusterCore
import GeoFormats

/// The texts of annotations.
struct TitleWriter {
  private let property: [UInt8]?
  private let subtitleLimit: Int
  private let index: FeatureIndex
  /// Tells features without a title apart quickly, where they are many.
  private let column: PropertyColumn?

  init(_ options: OutputOptions, _ index: FeatureIndex) {
    property = options.titleProperty
    subtitleLimit = options.subtitleLimit
    self.index = index
    column = options.titleProperty.flatMap {
      TitleWriter.isRare($0, in: index) ? API.column($0, of: index) : nil
    }
  }

  /// Whether so many of a large collection's features have no title that looking for those who have
  /// one takes a column, by a look at some of them.
  static func isRare(_ property: [UInt8], in index: FeatureIndex) -> Bool {
    let samples = 64
    guard index.count > Effort.fewFeatures else { return false }
    let missing = (0..<samples).count { sample in
      let offset = sample * (index.count / samples)
      return FeatureScope(index).places(in: nil, offset: offset, limit: 1).allSatisfy { place in
        PropertyReader.value(of: property, in: index.record(at: place).properties) == nil
      }
    }
    return missing > samples / 2
  }

  /// The members `title` and `subtitle`.
  func write(
    _ annotation: Annotation, _ result: ClusterResult, into json: inout JSONWriter
  ) {
    guard annotation.isCluster else {
      json.key("title")
      if let title = title(of: annotation.first) {
        title.write(into: &json)
      } else {
        json.value("1 annotation")
      }
      json.nullMember("subtitle")
      return
    }
    json.key("title")
    json.beginString()
    json.part(annotation.count)
    json.part(" annotations")
    json.endString()
    guard property != nil else {
      json.nullMember("subtitle")
      return
    }
    var parts: [Title] = []
    if subtitleLimit > 0, column?.isAllMissing != true {
      result.forEachFeature(of: annotation) { place in
        if let title = title(of: place) { parts.append(title) }
        return parts.count < subtitleLimit
      }
    }
    json.key("subtitle")
    Title.writeList(parts, into: &json)
  }

  /// A property's value as a text: the inside of a JSON string, or JSON text that is to be escaped.
  private enum Title {
    case escaped(UnsafeRawBufferPointer)
    case plain(UnsafeRawBufferPointer)

    func write(into json: inout JSONWriter) { Title.writeList([self], into: &json) }

    /// The titles as one JSON string, a comma and a space between.
    static func writeList(_ titles: [Title], into json: inout JSONWriter) {
      var text: [UInt8] = [UInt8(ascii: "\"")]
      for (place, title) in titles.enumerated() {
        if place > 0 { text += [UInt8(ascii: ","), UInt8(ascii: " ")] }
        switch title {
        case .escaped(let inside): text.append(contentsOf: inside)
        case .plain(let value):
          var escaped = JSONWriter(reserving: value.count + 2)
          escaped.appendEscaped(value)
          text += escaped.bytes
        }
      }
      text.append(UInt8(ascii: "\""))
      json.raw(text)
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
