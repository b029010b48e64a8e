/// The survey of the features of one or several blocks.
final class BlockSurvey: Sendable {
  let survey: PropertySurvey

  init(_ survey: PropertySurvey) { self.survey = survey }

  /// Lets blocks share equal surveys, and keeps no more of them than a collection of some features is worth.
  struct Pool {
    private struct Key: Hashable {
      let properties: [PropertySurvey.Property]
      let ids: PropertySurvey.Kinds
    }

    private var known: [Key: BlockSurvey] = [:]
    private var left: Int

    init(features: Int) { left = 1 << 20 + 2 * features }

    /// Replaces a survey by an equal one that is kept. Returns whether there is one, or room for one more.
    mutating func share(_ block: inout BlockSurvey) -> Bool {
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
