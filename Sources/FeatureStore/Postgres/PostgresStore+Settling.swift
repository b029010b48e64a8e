/// The times up to which everything that was changed is known.
///
/// Versions of tenants are times, and mean the same on all instances only if a time that one of them has told never gets a
/// change before it that it doesn't know. So a writer opens the slot of the collection before its change takes its time,
/// and an instance that finds the slot closed after a time, and then looks, knows all changes up to that time.
extension PostgresStore {
  /// The state of settling.
  struct Settling {
    /// The last one, in microseconds since 1970 (UTC).
    fileprivate(set) var time: Int64 = 0
    /// The keys of collections that somebody was writing to then, and of those that are new.
    fileprivate(set) var open: Set<Int64> = []
    /// When those are looked at again, more and more seldom as long as no time is settled.
    private var looks = Backoff(from: 15_000_000, to: 500_000_000)

    /// Has a collection looked at soon, as nothing is known of it yet.
    mutating func add(_ key: Int64) {
      open.insert(key)
      looks.hurry()
    }

    /// Whether something is to be looked at again.
    func isDue(at now: UInt) -> Bool { !open.isEmpty && looks.isDue(at: now) }

    /// Takes note of a look at collections, among them those that were ``open``.
    fileprivate mutating func looked(at time: Int64, open: Set<Int64>) {
      if time > self.time { looks.succeed() }
      looks.fail()
      self.time = max(self.time, time)
      self.open = open
    }
  }

  /// The slots that nobody had open after a time.
  struct ClosedSlots {
    let slots: Set<Int64>
    /// Microseconds since 1970 (UTC).
    let time: Int64
    /// The full second before that: all instances tell of the same times.
    var second: Int64 { time - time % StoreChange.second }
    /// How long it is until a little after the next one, in nanoseconds.
    var pause: UInt {
      UInt(StoreChange.second - time % StoreChange.second) * 1000
        + .random(in: 1_000_000...9_000_000)
    }
  }

  /// Finds the collections that nobody is writing to.
  func closedSlots() throws(StoreError) -> ClosedSlots {
    let answers = try noting { (connection) throws(StoreError) in
      try connection.run([PostgresQueries.time.with(), PostgresQueries.closedSlots.with()])
    }
    guard let time = answers[0].first?.integer(0), time > 0 else {
      throw .io(reason: "the database doesn't tell the time")
    }
    setClock(answers[0])
    return ClosedSlots(slots: Set(answers[1].compactMap { $0.integer(0) }), time: time)
  }

  /// Tells of collections, as they were after a look at their slots, that no change can turn up before that.
  func settle(_ infos: [CollectionInfo], _ closed: ClosedSlots) throws(StoreError) {
    var open: Set<Int64> = []
    for info in infos {
      // A collection that is being loaded is settled when it is there.
      guard let shown = shown[info.id], shown.key == info.key, shown.version >= info.version else {
        continue
      }
      if closed.slots.contains(info.key % PostgresQueries.slots) {
        try hand(.settled(id: info.id, second: closed.second, time: closed.time))
      } else {
        open.insert(info.key)
      }
    }
    settling.looked(at: closed.second, open: open)
  }
}
