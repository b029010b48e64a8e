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

  /// How much of the properties of sampled features is read, as some may have very large ones.
  struct Budget {
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

  init(
    of collection: IndexedCollection, _ selection: AnnotationOptions.PropertySelection = .all,
    title: [UInt8]? = nil
  ) {
    let index = collection.index
    let sample = index.sampledOrdinals(min(RecordSample.count, index.count))
    var (whole, wanted, titles) = (0, 0, 0)
    var budget = Budget()
    for ordinal in sample {
      let properties = index.record(at: ordinal).properties
      whole += properties.count
      let isRead = budget.admits(properties)
      switch selection {
      case .all: wanted += properties.count
      case .none: wanted += 2
      case .names(let names) where isRead:
        wanted += 2
        PropertyReader.forEachSelected(names, in: properties) { wanted += $0.count + $1.count + 2 }
      // All of a feature that isn't read may be wanted.
      case .names: wanted += properties.count
      }
      guard let title else { continue }
      titles +=
        isRead
        ? PropertyReader.value(of: title, in: properties)?.count ?? 0 : properties.count
    }
    let count = Double(max(sample.count, 1))
    wholeBytes = Double(whole) / count
    propertyBytes = Double(wanted) / count
    titleBytes = Double(titles) / count
    if case .names = selection {
      readNanoseconds = 60 + 1.5 * wholeBytes
    } else {
      readNanoseconds = 0
    }
  }
}
