import Texts

extension Import {
  /// A progress bar if standard error is a terminal.
  struct Progress {
    private let label: String
    private let total: Int?
    private let start = ContinuousClock.now
    private var shown = ContinuousClock.now

    init(label: String, total: Int?) {
      self.label = label
      self.total = total
    }

    /// Shows the progress, at most ten times a second.
    ///
    /// - Parameter done: how much of the total is done.
    mutating func show(_ done: Int, features: Int) {
      let now = ContinuousClock.now
      guard StandardError.isTerminal, shown.duration(to: now) > .milliseconds(100) else { return }
      shown = now
      let rate = Int(Double(features) / max(start.duration(to: now) / .seconds(1), 0.001))
      var line = "\(label) "
      if let total, total > 0 {
        let share = min(Double(done) / Double(total), 1)
        let filled = Int(share * 30)
        line +=
          "[" + String(repeating: "#", count: filled)
          + String(repeating: ".", count: 30 - filled) + "] \(Int(share * 100)) % "
      }
      StandardError.show("\(line)\(features.counted("feature")), \(rate) a second")
    }

    /// Clears the line.
    func end() { StandardError.show("") }
  }
}
