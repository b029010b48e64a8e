/// Random histories that a model is led through, each of which must keep its rules.
public enum Histories {
  /// A rule that a history has broken.
  public struct Broken: Error {
    let rule: String

    /// Creates it with a few words on the rule.
    public init(rule: String) { self.rule = rule }
  }

  /// Goes on where a rule holds.
  ///
  /// - Throws: ``Broken`` where it doesn't.
  public static func demand(_ holds: Bool, _ rule: StaticString) throws {
    if !holds { throw Broken(rule: "not so: \(rule)") }
  }

  /// The first history that breaks a rule, with its seed; nil if none of ``Seeds/histories`` does.
  public static func fault(_ history: (inout SeededGenerator) throws -> Void) -> String? {
    for seed in 0..<Seeds.histories {
      var generator = SeededGenerator(seed: seed)
      do { try history(&generator) } catch { return "history \(seed): \(error)" }
    }
    return nil
  }
}
