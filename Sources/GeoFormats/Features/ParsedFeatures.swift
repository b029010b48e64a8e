public import ClusterCore
internal import Texts

/// The features that a ``FeatureReader`` has found so far.
public struct ParsedFeatures: Sendable {
  /// The maximum number of problems that are kept.
  public static let maximumProblems = 100
  /// The maximum number of ``notes``.
  public static let maximumNotes = 20
  /// The maximum length of a note in bytes.
  public static let maximumNoteLength = 300

  /// The accepted features, in the order of the body.
  public var batch = FeatureBatch()
  /// The first ``maximumProblems`` rejected features.
  public var problems: [FeatureProblem] = []
  /// The number of rejected features.
  public var rejected = 0
  /// Whether the document was one GeoJSON Feature rather than a collection or sequence.
  public internal(set) var isSingleFeature = false

  /// Sentences about the assumptions, for the client, each once. They begin in lower case and end without a full stop.
  public private(set) var notes: [String] = []
  private var room: DecodingRoom

  /// Creates an empty result, with room for features.
  public init(room: DecodingRoom = .unlimited) { self.room = room }

  /// Asks for room if the accepted features have grown beyond it, and for memory if they may with the next.
  mutating func keepRoom() throws(FormatError) {
    try room.grow(to: batch.memory)
    guard batch.prepare(forFeatureOf: FeatureReader.usualLength) else { throw .outOfMemory }
  }

  /// Counts further features as rejected, which were accepted before.
  ///
  /// - Parameter pointers: where each of them was.
  public mutating func reject(at pointers: [String], detail: String) {
    for pointer in pointers { reject(pointer: pointer, detail: detail) }
  }

  /// Adds a note unless it is known, or there are ``maximumNotes``. Shortens a long one.
  public mutating func note(_ text: String) {
    guard notes.count < ParsedFeatures.maximumNotes else { return }
    let isLong = text.utf8.count > ParsedFeatures.maximumNoteLength
    let note = isLong ? "\(text.shortened(to: ParsedFeatures.maximumNoteLength - 3))…" : text
    if !notes.contains(where: { $0.isSame(as: note) }) { notes.append(note) }
  }

  /// Whether the reason of the next rejected feature is kept.
  var keepsReasons: Bool { problems.count < ParsedFeatures.maximumProblems }

  /// Counts a rejected feature. Keeps its problem while there are fewer than ``maximumProblems``.
  mutating func reject(pointer: @autoclosure () -> String, detail: @autoclosure () -> String) {
    rejected += 1
    guard keepsReasons else { return }
    problems.append(FeatureProblem(pointer: pointer(), detail: detail()))
  }
}

/// A rejected feature.
public struct FeatureProblem: Hashable, Sendable {
  /// The feature: `/features/7` (from 0), `/lines/7` (from 1), or empty for a Feature at the root.
  public var pointer: String
  /// The error, for the client.
  public var detail: String

  /// Creates a problem.
  public init(pointer: String, detail: String) {
    self.pointer = pointer
    self.detail = detail
  }
}
