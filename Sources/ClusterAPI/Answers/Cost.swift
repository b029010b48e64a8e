import ClusterCore
import GeoFormats

/// The estimated cost of the answer to a read: right within a factor of four, unless most of it is in the
/// properties of very few features, or no column shows how many features pass a filter.
///
/// The constants are the processor time on the machine of docs/benchmarks.md.
public struct Cost: Sendable {
  /// The processor time in nanoseconds, without compressing.
  public internal(set) var nanoseconds: Double
  /// The bytes of the answer, before it is compressed.
  public internal(set) var bytes: Double

  /// The cost of any answer.
  init(nanoseconds: Double = 25_000, bytes: Double = 250) {
    (self.nanoseconds, self.bytes) = (nanoseconds, bytes)
  }

  /// The time that an event loop spends on one answer before it gives up, in nanoseconds.
  public static let mostOnLoop: UInt = 2_000_000
  /// The times from which on an answer isn't made on an event loop, and isn't quick work elsewhere.
  private static let (short, quick) = (200_000.0, 10_000_000.0)

  /// Where to make the answer; nil for the event loop.
  var lane: WorkQueue.Lane? {
    nanoseconds < Cost.short ? nil : nanoseconds < Cost.quick ? .quick : .long
  }

  // MARK: Parts

  /// Adds some features, printed one by one.
  mutating func add(features: Double, of sample: RecordSample, otherBytes: Double) {
    bytes += features * (sample.propertyBytes + otherBytes)
    nanoseconds += features * (250 + sample.propertyBytes * 0.3 + sample.readNanoseconds)
  }

  /// Adds the cost of the properties that are needed before some of the features of a view can be
  /// clustered.
  ///
  /// - Parameters:
  ///   - seen: the features of the view, whether or not they pass the filter.
  ///   - isSummedUp: whether nothing of the single features of clusters is needed.
  mutating func add(
    _ options: PropertyOptions, seen: Double, isSummedUp: Bool = false,
    of collection: IndexedCollection, _ sample: RecordSample
  ) {
    let total = Double(collection.index.count)
    let filter = options.filter
    // A condition reads a column at least.
    let conditions = Double(filter.map { max($0.columnNames.count, $0.conditionCount) } ?? 0)
    let names = Set(options.valueNames + options.keyNames.map { ColumnName($0) })
    let missing = names.count { !collection.hasColumn($0) }
    nanoseconds += Double(missing) * total * (60 + sample.wholeBytes * 0.6)
    for name in options.keyNames where !collection.hasKeyColumn(named: name) {
      nanoseconds += total * 60
    }
    let isKnown = collection.hasCachedScope(filter: options.filter, groupBy: options.groupBy)
    if !isKnown, let filter {
      // Short texts are a part of what a condition takes. A text is no longer than all properties.
      nanoseconds += seen * filter.nanosecondsPerTextByte * max(sample.wholeBytes - 1024, 0)
    }
    if !isKnown, isSummedUp {
      // Nothing is selected: what passes is added up at once.
      nanoseconds += seen * conditions * 2
      for shape in filter?.shapes ?? [] {
        nanoseconds += 20_000 + Double(shape.cornerCount) * 300 + 2000 * seen.squareRoot()
      }
    } else if !isKnown {
      // A view of much of a collection selects from all of it, and keeps that.
      let whole = seen > total / 4 ? total : seen
      if conditions > 0 { nanoseconds += whole * (10 + 3 * conditions) }
      // The features at the border of a shape are looked at one by one.
      for shape in filter?.shapes ?? [] {
        let border = min(whole, 64 * whole.squareRoot())
        nanoseconds += 20_000 + border * shape.nanosecondsPerPoint
      }
      if options.groupBy != nil { nanoseconds += whole * 45 }
    }
  }

  /// Adds the titles of features if they are so rare that a column is read to find those that have one.
  mutating func add(
    titles property: [UInt8]?, of collection: IndexedCollection, _ sample: RecordSample
  ) {
    guard let property, !collection.hasColumn(named: property),
      TitleWriter.isRare(property, in: collection)
        || !PropertyNotes.isKnown(property, in: collection)
    else { return }
    nanoseconds += Double(collection.index.count) * (60 + sample.wholeBytes * 0.6)
  }
}
