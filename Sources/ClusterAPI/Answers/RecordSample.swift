import ClusterCore
import GeoFormats

/// How long the records of a collection are, from a sample of them.
struct RecordSample {
  /// The mean length of all properties of a feature, and of those that a request wants, in bytes.
  let wholeBytes: Double
  let propertyBytes: Double
  /// The mean length of a title.
  let titleBytes: Double
  /// The time to pick the wanted properties.
  let readNanoseconds: Double

  private static let count = 48

  init(
    of collection: IndexedCollection, _ selection: AnnotationOptions.PropertySelection = .all,
    title: [UInt8]? = nil
  ) {
    let index = collection.index
    let sample = index.sampledOrdinals(min(RecordSample.count, index.count))
    var (whole, wanted, titles) = (0, 0, 0)
    for ordinal in sample {
      let properties = index.record(at: ordinal).properties
      whole += properties.count
      switch selection {
      case .all: wanted += properties.count
      case .none: wanted += 2
      case .names(let names):
        wanted += 2
        for name in names {
          guard let value = PropertyReader.value(of: name, in: properties) else { continue }
          wanted += name.count + value.count + 4
        }
      }
      if let title { titles += PropertyReader.value(of: title, in: properties)?.count ?? 0 }
    }
    let count = Double(max(sample.count, 1))
    wholeBytes = Double(whole) / count
    propertyBytes = Double(wanted) / count
    titleBytes = Double(titles) / count
    if case .names(let names) = selection {
      readNanoseconds = Double(names.count) * (30 + wholeBytes)
    } else {
      readNanoseconds = 0
    }
  }
}
