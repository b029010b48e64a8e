extension Watch {
  /// Events for watchers that show other versions than the latest but one, each encoded once.
  struct CatchUp {
    let view: WatchedViewport
    let log: TouchLog
    let snapshot: CollectionSnapshot
    /// The event with the whole viewport, once it was needed.
    var whole: [UInt8]?
    private var known: [Int64: [UInt8]] = [:]

    init(view: WatchedViewport, log: TouchLog, snapshot: CollectionSnapshot, whole: [UInt8]?) {
      (self.view, self.log, self.snapshot, self.whole) = (view, log, snapshot, whole)
    }

    /// The event that brings a client up to date that shows a version, or nothing; nil if nothing has changed.
    mutating func event(since version: Int64?) throws -> [UInt8]? {
      guard let version, let touched = log.coordinates(after: version) else {
        return try wholeView()
      }
      if touched.isEmpty { return nil }
      if let event = known[version] { return event }
      let event = try view.changes(touched: touched, in: snapshot) ?? wholeView()
      known[version] = event
      return event
    }

    private mutating func wholeView() throws -> [UInt8] {
      if let whole { return whole }
      let made = try view.update(to: snapshot, touched: nil, wantsView: true).view ?? []
      whole = made
      return made
    }
  }
}
