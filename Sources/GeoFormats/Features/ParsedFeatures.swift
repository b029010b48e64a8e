public import ClusterCore

/// How features come in.
public enum FeatureFormat: Sendable {
  /// One GeoJSON Feature or FeatureCollection.
  case geoJSON
  /// A GeoJSON Feature a line, or after each record separator (RFC 8142).
  case geoJSONSequence
  /// RFC 4180, with a header.
  case csv
}

/// A feature that was not accepted.
public struct FeatureProblem: Hashable, Sendable {
  /// Which one: `/features/7` (from 0), `/lines/7` (from 1), empty for a Feature at the root.
  public var pointer: String
  /// What is wrong with it, for people.
  public var detail: String

  /// Creates a problem.
  public init(pointer: String, detail: String) {
    self.pointer = pointer
    self.detail = detail
  }
}

/// What a ``FeatureReader`` has found so far.
public struct ParsedFeatures: Sendable {
  /// How many problems are kept.
  public static let maximumProblems = 100

  /// The features that were accepted, in the order in which they came.
  public var batch = FeatureBatch()
  /// The first ``maximumProblems`` features that were not.
  public var problems: [FeatureProblem] = []
  /// How many were not.
  public var rejected = 0
  /// Whether the document was one GeoJSON Feature rather than a collection or sequence.
  public internal(set) var isSingleFeature = false

  /// Nothing found.
  public init() {}

  /// Forgets the accepted features and keeps the memory and the problems: for those who write
  /// batches away while they read.
  public mutating func removeFeatures() { batch.removeAll() }

  /// Forgets everything and keeps the memory.
  public mutating func removeAll() {
    batch.removeAll()
    problems.removeAll(keepingCapacity: true)
    rejected = 0
  }

  /// Counts a bad feature; its problem is only described while there is room for it.
  mutating func reject(pointer: @autoclosure () -> String, detail: @autoclosure () -> String) {
    rejected += 1
    guard problems.count < ParsedFeatures.maximumProblems else { return }
    problems.append(FeatureProblem(pointer: pointer(), detail: detail()))
  }
}

/// Why a body as a whole can't be read.
public enum FormatError: Error, Hashable, Sendable {
  /// It is not what its format demands: not JSON. The offset counts bytes of the body.
  case malformed(detail: String, offset: Int?)
  /// It is well-formed but holds no features: another JSON document, a table without coordinates,
  /// or one feature beyond ``FeatureReader/maximumFeatureLength``.
  case notFeatures(pointer: String, detail: String)
}
