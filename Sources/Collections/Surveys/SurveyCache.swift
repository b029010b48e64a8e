import ClusterCore
import Threading

/// Keeps the survey of the properties of some features, and those of the blocks that they are in, of which a later
/// version of the collection shares most. Can be used on any thread.
package final class SurveyCache: Sendable {
  /// The surveys of the blocks of an index, as far as they are kept.
  private struct Blocks: Sendable {
    /// The serials of the blocks.
    let serials: [UInt64]
    let surveys: [Block?]
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
  package var existing: PropertySurvey? { state.withLock { $0.survey } }

  /// The number of features that were looked at.
  package var lookedAt: Int { state.withLock { $0.lookedAt } }

  /// The survey. The first call looks at all features that aren't in blocks of an earlier survey, while others wait.
  /// Nothing is kept if it is cancelled.
  package func survey(of index: FeatureIndex) -> PropertySurvey {
    if let existing { return existing }
    return turn.withLongLock(otherwise: { PropertySurvey() }) { _ in
      if let existing { return existing }
      let made = make(of: index, state.withLock { $0.blocks })
      if !Cancellation.isOver { state.withLock { $0 = made } }
      return made.survey ?? PropertySurvey()
    }
  }

  private func make(of index: FeatureIndex, _ before: Blocks?) -> State {
    var room = Block.Pool(features: index.count)
    var surveys: [Block?] = []
    var survey = PropertySurvey()
    var lookedAt = 0
    /// The last block's, which most often is the next one's, too.
    var last: Block?
    for (number, match) in index.matches(before?.serials ?? []).enumerated() {
      if Cancellation.poll(20) { break }
      var block: Block
      if let match, let known = before?.surveys[match] {
        block = known
      } else {
        var made = PropertySurvey()
        let ordinals = index.ordinals(ofBlock: number)
        made.look(at: ordinals, of: index)
        lookedAt += ordinals.count
        block = Block(made)
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

extension SurveyCache {
  /// The survey of the features of one or several blocks.
  fileprivate final class Block: Sendable {
    let survey: PropertySurvey

    init(_ survey: PropertySurvey) { self.survey = survey }

    /// Lets blocks share equal surveys, and keeps no more of them than a collection of some features is worth.
    struct Pool {
      private struct Key: Hashable {
        let properties: [PropertySurvey.Property]
        let ids: PropertySurvey.Kinds
      }

      private var known: [Key: Block] = [:]
      private var left: Int

      init(features: Int) { left = 1 << 20 + 2 * features }

      /// Replaces a survey by an equal one that is kept. Returns whether there is one, or room for one more.
      mutating func share(_ block: inout Block) -> Bool {
        let key = Key(properties: block.survey.properties, ids: block.survey.ids)
        if let same = known[key] {
          block = same
          return true
        }
        let cost = block.survey.byteCount
        guard cost <= left else { return false }
        left -= cost
        known[key] = block
        return true
      }
    }
  }
}
