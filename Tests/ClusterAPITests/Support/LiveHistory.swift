import ClusterCore
import TestSupport

/// What writers did, one after another each, and what readers saw of it meanwhile; to be compared when
/// all is over.
struct LiveHistory: Sendable {
  typealias Features = [FeatureID: TwinFeature]

  /// What one reader saw of all writers at once.
  private struct Sight {
    var version: Int
    var features: [Int: Features]
    /// By writer, how many writes were answered before the read, and sent before its answer.
    var answered: [Int]
    var sent: [Int]
  }

  /// By writer, its features after each number of writes.
  private var states: [[Features]]
  private var sent: [Int]
  private var sights: [Sight] = []

  init(writers: Int) {
    states = Array(repeating: [[:]], count: writers)
    sent = Array(repeating: 0, count: writers)
  }

  /// How many writes of each writer are answered.
  var answered: [Int] { states.map { $0.count - 1 } }

  mutating func begin(_ writer: Int) { sent[writer] += 1 }

  mutating func end(_ writer: Int, with features: Features) { states[writer].append(features) }

  /// Notes an answer to a read before which `answered` was so.
  mutating func see(_ features: [TwinFeature], version: Int, since answered: [Int]) {
    sights.append(
      Sight(
        version: version, features: LiveWriter.byWriter(features), answered: answered, sent: sent))
  }

  var sightCount: Int { sights.count }

  /// What no sequence of the writes explains: each sight must be what each writer had left after some
  /// of its writes, those answered before the read among them; and in the order of versions no writer
  /// may go back.
  var faults: [String] {
    var faults: [String] = []
    for writer in states.indices {
      // A write may leave all as it was: then the state is that of the one before.
      var first = Array(states[writer].indices)
      for index in first.indices.dropFirst()
      where states[writer][index] == states[writer][index - 1] {
        first[index] = first[index - 1]
      }
      var reached = (version: 0, index: 0)
      for sight in sights.sorted(by: { $0.version < $1.version }) {
        let seen = sight.features[writer] ?? [:]
        let earliest = max(first[sight.answered[writer]], reached.index)
        let last = min(sight.sent[writer], first.count - 1)
        let index = (earliest...max(earliest, last)).first {
          first[$0] == $0 && states[writer][$0] == seen
        }
        if index == nil || (sight.version == reached.version && index != reached.index) {
          faults.append(
            "version \(sight.version): writer \(writer) with \(seen.count) features, not as after "
              + "any of its writes \(earliest)...\(last)")
        }
        reached = (sight.version, index ?? reached.index)
      }
    }
    return faults
  }
}
