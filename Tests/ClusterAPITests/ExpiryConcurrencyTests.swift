import FeatureStore
import TestSupport
import Testing
import Threading

/// Readers and writers at the same time, by the machine's clock.
@Suite(.timeLimit(.minutes(10))) struct ExpiryConcurrencyTests {
  private let path = "/collections/c"

  /// A millisecond of time as RFC 3339 has it, in the year 1970 plus so many whole seconds.
  private static func text(_ time: Int64) -> String {
    let (day, rest) = (time / 86_400_000, time % 86_400_000)
    func padded(_ number: Int64, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    // Days to a date, after Howard Hinnant's "chrono-compatible low-level date algorithms".
    let z = day + 719_468
    let era = z / 146_097
    let dayOfEra = z - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = [
      padded(year, 4), padded(month, 2), padded(dayOfYear - (153 * shifted + 2) / 5 + 1, 2),
    ]
    let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { padded($0, 2) }
    return date.joined(separator: "-") + "T" + clock.joined(separator: ":")
      + ".\(padded(rest % 1000, 3))Z"
  }

  @Test func `what is read at one version is the same for all, and never expired`() async throws {
    let service = try Service()
    (await service.send(.put, path)).expect(201)
    let contents = Locked<[Int: String]>([:])
    let complaints = Locked<[String]>([])
    let isDone = Locked(false)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var last = 0
          while !isDone.value {
            let before = WallClock.machineTime()
            let answer = await service.get("\(path)/clusters?bbox=0,0,90,9&zoom=0&members=100")
            let version = answer["version"]?.int ?? 0
            // Only those with a property are to expire.
            for part in answer.text.split(separator: "\"e\":").dropFirst()
            where (Int64(part.prefix { $0.isNumber }) ?? 0) <= before {
              complaints.withLock { $0.append("at \(before): \(part.prefix(20))") }
            }
            let same = contents.withLock { contents in
              contents.updateValue(answer.text, forKey: version) ?? answer.text == answer.text
            }
            if !same || version < last { complaints.withLock { $0.append("\(version) \(last)") } }
            last = version
            // Readers never wait, so the others must be let in.
            await Task.yield()
          }
        }
      }
      group.addTask {
        var generator = SeededGenerator(seed: 5)
        for step in 0..<300 {
          let expires = WallClock.machineTime() + Int64(generator.int(-2...40))
          let feature =
            TwinFeature(generator.int(1...30), Double(step % 90), 1, "{\"e\":\(expires)}").geoJSON
            .dropLast() + ",\"expires\":\"\(ExpiryConcurrencyTests.text(expires))\"}"
          let answer =
            generator.chance(0.2)
            ? await service.send(.delete, "\(path)/items/\(generator.int(1...30))")
            : await service.post("\(path)/items", String(feature))
          if answer.status >= 400 && answer.status != 404 {
            complaints.withLock { $0.append(answer.text) }
          }
        }
        isDone.withLock { $0 = true }
      }
    }
    #expect(complaints.value.isEmpty, "\(complaints.value.prefix(5))")
    #expect(contents.value.count > 10)
    service.writer.close()
  }
}
