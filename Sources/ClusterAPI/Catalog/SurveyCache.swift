import ClusterCore
import Threading

/// Keeps the survey of the properties of some features, and those of the blocks that they are in, of which a later
/// version of the collection shares most. Can be used on any thread.
final class SurveyCache: Sendable {
  /// The surveys of the blocks of an index, as far as they are kept.
  private struct Blocks: Sendable {
    /// The serials of the blocks.
    let serials: [UInt64]
    let surveys: [BlockSurvey?]
  }

  private struct State: Sendable {
    var survey: PropertySurvey?
    /// The surveys of the blocks, until the survey is made those of an earlier version.
    var blocks: Blocks?
    /// The number of features that were looked at.
    var lookedAt = 0
  }

  private let state: Locked<State>
  /// Held by the thread that looks at the features.
  private let turn = Locked<Void>(())

  /// - Parameter earlier: those of an earlier version of the collection.
  init(after earlier: SurveyCache? = nil) {
    state = Locked(State(blocks: earlier?.state.withLock { $0.blocks }))
  }

  /// The survey, if it was made.
  var existing: PropertySurvey? { state.withLock { $0.survey } }

  /// The number of features that were looked at.
  var lookedAt: Int { state.withLock { $0.lookedAt } }

  /// Whether most features were looked at before.
  var isMostlyKnown: Bool { state.withLock { $0.survey != nil || $0.blocks != nil } }

  /// The survey. The first call looks at all features that aren't in blocks of an earlier survey, while others wait.
  /// Nothing is kept if it is cancelled.
  func survey(of index: FeatureIndex) -> PropertySurvey {
    if let existing { return existing }
    return turn.withLongLock(otherwise: { PropertySurvey() }) { _ in
      if let existing { return existing }
      let made = make(of: index, state.withLock { $0.blocks })
      if !Interruption.isOver { state.withLock { $0 = made } }
      return made.survey ?? PropertySurvey()
    }
  }

  private func make(of index: FeatureIndex, _ before: Blocks?) -> State {
    var room = BlockSurvey.Pool(features: index.count)
    var surveys: [BlockSurvey?] = []
    var survey = PropertySurvey()
    var lookedAt = 0
    /// The last block's, which most often is the next one's, too.
    var last: BlockSurvey?
    for (number, match) in index.matches(before?.serials ?? []).enumerated() {
      if Interruption.poll(20) { break }
      var block: BlockSurvey
      if let match, let known = before?.surveys[match] {
        block = known
      } else {
        var made = PropertySurvey()
        let ordinals = index.ordinals(ofBlock: number)
        made.look(at: ordinals, of: index)
        lookedAt += ordinals.count
        block = BlockSurvey(made)
      }
      guard block.survey.isComplete else {
        // A property that it leaves out may be in other surveys, so only a look at all features
        // tells.
        return State(survey: PropertySurvey(of: index), lookedAt: lookedAt + index.count)
      }
      let isKept = room.share(&block)
      surveys.append(isKept ? block : nil)
      if block !== last { survey.add(block.survey) }
      last = block
    }
    let blocks = Blocks(serials: index.serials, surveys: surveys)
    return State(survey: survey, blocks: blocks, lookedAt: lookedAt)
  }
}
