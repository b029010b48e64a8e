import Glibc
import TestSupport
import Testing
import Threading

/// Concurrent writers and readers of one collection of a server, each over a connection of its own.
struct LiveLoad {
  /// The collection.
  static let collection = "live"
  private static let all = "/collections/\(collection)/clusters?bbox=-180,-90,180,90&zoom=1"

  /// The writers, from 0.
  let writers: [Locked<LiveWriter>]
  /// The answers that show the whole collection, by version.
  private let views = Locked<[Int: [UInt8]]>([:])
  /// What went wrong.
  let faults = Locked<[String]>([])
  /// The answers so far.
  let answers = Locked(Answers())

  /// The numbers of answers.
  struct Answers: Sendable {
    /// Writes that were carried out.
    var writes = 0
    /// Writes that were rejected.
    var refusals = 0
    /// Views.
    var views = 0
  }

  /// Makes the collection.
  init(writers count: Int, seed: UInt64, at server: ServerProcess) throws {
    // Ids that the server assigns are above those that the writers give.
    let anchor = TwinFeature(1_000_000, 0, 0, "{\"w\":-1}")
    try server.store([anchor], in: LiveLoad.collection)
    let path = "/collections/\(LiveLoad.collection)/items"
    let abilities = LiveAbilities(
      item: try server.client.send("OPTIONS", path + "/1").header("Allow") ?? "",
      items: try server.client.send("OPTIONS", path).header("Allow") ?? "")
    writers = (0..<count).map {
      Locked(LiveWriter($0, collection: LiveLoad.collection, abilities: abilities, seed: seed))
    }
  }

  /// Writes and reads until the server exits, which `end` causes while this runs. `mayRefuse` decides whether
  /// an answer to a write is an acceptable rejection, after which nothing may have changed.
  func run(
    at port: UInt16, readers: Int,
    mayRefuse: @escaping @Sendable (TestResponse) -> Bool = { _ in false },
    until end: @escaping @Sendable () -> Void
  ) {
    Threads.run(writers.count + readers + 1) { number in
      if number == writers.count + readers {
        end()
      } else if let connection = try? TestClient(port: port).connect() {
        if number < writers.count {
          writers[number].withLock { write(as: &$0, over: connection, mayRefuse) }
        } else {
          read(over: connection)
        }
      }
    }
  }

  /// Waits until so many more writes have been carried out, or the server is gone for 30 seconds.
  func awaitWrites(_ count: Int) {
    let goal = answers.value.writes + count
    _ = eventually { answers.value.writes >= goal }
  }

  private func write(
    as writer: inout LiveWriter, over connection: TestConnection,
    _ mayRefuse: (TestResponse) -> Bool
  ) {
    for _ in 0..<1_000_000 {
      let write = writer.next()
      do {
        let answer = try connection.send(
          write.method, write.path, headers: write.type.map { [("Content-Type", $0)] } ?? [],
          body: write.body.map { Array($0.utf8) })
        if mayRefuse(answer) {
          writer.takeRefusal()
          answers.withLock { $0.refusals += 1 }
        } else if let fault = writer.take(status: answer.status, body: answer.value) {
          return report(fault)
        } else {
          answers.withLock { $0.writes += 1 }
        }
        if answer.header("Connection") == "close" { return }
      } catch TestClient.Failure.noAnswer(let bytes) {
        return bytes.isEmpty ? () : report("half an answer to \(write.method) \(write.path)")
      } catch { return }
    }
  }

  private func read(over connection: TestConnection) {
    var last = 0
    for _ in 0..<1_000_000 {
      do {
        let answer = try connection.send("GET", LiveLoad.all)
        guard answer.status == 200 else { return report("a view: \(answer.text.prefix(300))") }
        last = max(last, note(answer.body, notBefore: last))
        answers.withLock { $0.views += 1 }
        if answer.header("Connection") == "close" { return }
      } catch TestClient.Failure.noAnswer(let bytes) {
        return bytes.isEmpty ? () : report("half a view")
      } catch { return }
    }
  }

  private func report(_ fault: String) { faults.withLock { $0.append(fault) } }

  /// Records an answer, which must equal all others of its version. Returns its version.
  private func note(_ body: [UInt8], notBefore last: Int) -> Int {
    guard let view = try? TestJSON(parsing: body), let version = view["version"]?.int,
      let count = view["featureCount"]?.int, let annotations = view["annotations"]?.array
    else {
      report("no view: \(String(decoding: body.prefix(300), as: UTF8.self))")
      return last
    }
    if version < last { report("version \(version) after \(last)") }
    let sum = annotations.reduce(0) { $0 + ($1["count"]?.int ?? 0) }
    if sum != count { report("\(sum) of \(count) at version \(version)") }
    let same = views.withLock { views in
      let known = views[version]
      views[version] = known ?? body
      return known == nil || known == body
    }
    if !same { report("two answers at version \(version)") }
    return version
  }

  /// Expects a server to hold the answered writes, and each unanswered write completely or not at all.
  /// Returns the number of unanswered writes that are stored.
  func settle(with server: ServerProcess) throws -> Int {
    let page = try server.json("/collections/\(LiveLoad.collection)/items?limit=10000")
    let found = LiveWriter.byWriter(try Fixtures.features(of: page, from: "items"))
    var stored = 0
    for writer in writers {
      let (fault, isPendingStored) = writer.withLock { $0.settle(with: found[$0.number] ?? [:]) }
      if let fault { report(fault) }
      if isPendingStored { stored += 1 }
    }
    let total = page["features"]?.array?.count
    if total != 1 + writers.reduce(0, { $0 + $1.value.features.count }) {
      report("features of nobody's")
    }
    for path in ["/collections/\(LiveLoad.collection)", LiveLoad.all] {
      let count = try server.json(path)["featureCount"]?.int
      if count != total { report("\(path) counts \(count ?? -1) of \(total ?? -1)") }
    }
    // No version decreases, or occurs again with other features.
    let last = views.withLock { $0.keys.max() ?? 0 }
    _ = note(try server.body(LiveLoad.all), notBefore: last)
    return stored
  }
}
