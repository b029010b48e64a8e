import ClusterCore
import GeoFormats

/// GeoJSON of one feature whose id its author has named already, as the path of a request does.
package enum SingleFeature {
  /// The reason why a text isn't that.
  package enum Failure: Error {
    /// It is something else than one feature.
    case notOne
    /// The feature is wrong.
    case rejected(FeatureProblem)
    /// The feature has another id.
    case otherID
    /// The feature is larger than so many bytes.
    case tooLarge(Int)
  }

  /// Reads a feature. Linear.
  ///
  /// - Parameters:
  ///   - id: the feature's id, which the text may repeat.
  ///   - maximumLength: the most bytes of a feature.
  /// - Throws: ``Failure``, or a ``FormatError`` if it isn't GeoJSON.
  package static func read(
    _ text: UnsafeRawBufferPointer, id: FeatureID, maximumLength: Int
  ) throws -> FeatureBatch {
    let parsed = try ParsedFeatures(text, maximumLength: maximumLength)
    guard parsed.isSingleFeature else { throw Failure.notOne }
    if let problem = parsed.problems.first { throw Failure.rejected(problem) }
    var batch = FeatureBatch()
    try parsed.batch.withRecord(at: 0) { record in
      if !record.needsID, record.id != id { throw Failure.otherID }
      batch.append(record, as: record.needsID ? id : nil)
    }
    return batch
  }
}
