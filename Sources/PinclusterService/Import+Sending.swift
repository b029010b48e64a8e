import ClusterCore
import GeoFormats
import HTTPServer
import Threading

/// Sending a file to a running service.
extension Import {
  /// The features of a batch that are sent.
  private enum Share {
    case all, identified, unidentified
  }

  /// Sends the features to a running service in batches. Each is a body of its own, and the service makes up ids above those
  /// of a body alone, so features without an id go behind all others.
  func send(to url: String) throws -> Tally {
    var input = try input()
    var tally = Tally()
    var plan: TablePlan?
    var shares = [Share.all]
    if input.canRewind {
      // A member of a GeoJSON document behind its features, such as `crs`, may make all of them bad.
      plan = try readAsPlanned(&input, &tally) { input, tally, plan in
        try read(&input, &tally, plan, label: "checking") { _ in (0, 0) }
      } undo: {
      }
      if tally.rejected > 0 && !skipsBad { return tally }
      try checkIDs(tally)
      if tally.identified > 0, tally.identified < tally.features {
        shares = [.identified, .unidentified]
      }
    } else {
      plan = try self.plan(of: &input, isWhole: true)
    }
    let client = try trust.client(for: url)
    let mayCheck = !input.canRewind
    let stored = Locked(0)
    let madeUp = Locked(0)
    var sums = (inserted: 0, updated: 0)
    do {
      for share in shares {
        if input.canRewind { try input.rewind() }
        tally = Tally()
        try read(&input, &tally, plan, label: "sending") { batch in
          // An input that can be read only once is judged by its first batch, and must not overwrite what it has stored.
          if mayCheck {
            let identified = batch.identified
            if stored.withLock({ $0 }) == 0 {
              try checkIDs(Tally(features: batch.count, identified: identified))
            }
            try checkOrder(of: batch, behind: madeUp.withLock { $0 })
            madeUp.withLock { $0 += batch.count - identified }
          }
          return try post(batch, 0..<batch.count, share, client, stored)
        }
        sums.inserted += tally.inserted
        sums.updated += tally.updated
      }
    } catch let interruption as StopSignal.Received {
      throw Stopped(cause: interruption, stored: stored.withLock { $0 })
    } catch  where error is Failure || error is HTTPClientError {
      let count = stored.withLock { $0 }
      guard count > 0 else { throw error }
      throw Failure(
        "\(error); \(count.counted("feature")) "
          + "\(count == 1 ? "was" : "were") stored before that")
    }
    (tally.inserted, tally.updated) = sums
    return tally
  }

  /// Refuses integer ids that may be those which the service has made up for features before them.
  private func checkOrder(of batch: FeatureBatch, behind madeUp: Int) throws(Failure) {
    guard madeUp > 0, let id = batch.largestIntegerID else { return }
    throw Failure(
      "\(path): the id \(id) comes behind features without an id, and may be one that the service has "
        + "made up for them; of a file those with an id are sent first")
  }

  /// Sends features of a batch by their numbers; in two halves if they are too large for the service.
  private func post(
    _ batch: FeatureBatch, _ numbers: Range<Int>, _ share: Share, _ client: HTTPClient,
    _ stored: Locked<Int>
  ) throws -> BatchWriter.Counts {
    var lines = JSONWriter(reserving: batch.byteCount * 2 / max(batch.count, 1) * numbers.count)
    for index in numbers {
      batch.withRecord(at: index) { record in
        guard share == .all || (share == .unidentified) == record.needsID else { return }
        lines.feature(record, tellsNever: false)
        lines.newline()
      }
    }
    guard !lines.bytes.isEmpty else { return (0, 0) }
    let response = try client.sendPatiently(
      .post, "/collections/\(collection)/items",
      headers: [("Content-Type", "application/x-ndjson")], body: lines.bytes, timeout: 300)
    if response.status == 413, numbers.count > 1 {
      let middle = numbers.lowerBound + numbers.count / 2
      let first = try post(batch, numbers.lowerBound..<middle, share, client, stored)
      let second = try post(batch, middle..<numbers.upperBound, share, client, stored)
      return (first.inserted + second.inserted, first.updated + second.updated)
    }
    let parser = JSONParser()
    let answer = try? parser.parse(response.body)
    guard [200, 201].contains(response.status), let answer,
      let inserted = answer["inserted"]?.number.flatMap(Int.init(exactly:)),
      let updated = answer["updated"]?.number.flatMap(Int.init(exactly:))
    else {
      throw Failure(response)
    }
    stored.withLock { $0 += inserted + updated }
    return (inserted, updated)
  }

  /// An import that a signal has ended after a part of it was stored.
  struct Stopped: Error {
    let cause: StopSignal.Received
    let stored: Int
  }
}
