import ClusterCore
import Threading

/// Keeps the survey of the properties of some features. Can be used on any thread.
final class SurveyCache: Sendable {
  private let kept = Locked<PropertySurvey?>(nil)
  /// Held by the thread that looks at the features.
  private let turn = Locked<Void>(())

  /// The survey, if it was made.
  var existing: PropertySurvey? { kept.withLock { $0 } }

  /// The survey. The first call looks at all features while others wait. Nothing is kept if it is interrupted.
  func survey(of index: FeatureIndex) -> PropertySurvey {
    if let existing { return existing }
    return turn.withLongLock { _ in
      if let existing { return existing }
      let survey = PropertySurvey(of: index)
      if !Interruption.isOver { kept.withLock { $0 = survey } }
      return survey
    }
  }
}
