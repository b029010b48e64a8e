import Dispatch
import Glibc
import TestSupport
import Testing
import Threading

@testable import ClusterAPI

/// Jobs take turns, and end when nobody needs them any more.
@Suite(.timeLimit(.minutes(10))) struct WorkQueueTests {
  /// A job that works until a condition holds.
  private static func job(
    of client: UInt64, isLong: Bool = true, deadline: UInt? = nil,
    isAbandoned: @escaping @Sendable () -> Bool = { false },
    until isDone: @escaping @Sendable () -> Bool,
    end: @escaping @Sendable (Job.Failure?) -> Void
  ) -> Job {
    Job(
      of: client, isLong: isLong, deadline: deadline, isAbandoned: isAbandoned, fail: { end($0) },
      work: {
        while !isDone() { if Cancellation.poll(10_000) { return } }
        end(nil)
      })
  }

  /// What jobs ended with, by name, in order.
  private final class Ends: Sendable {
    private let all = Locked<[(name: String, failure: Job.Failure?)]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    func note(_ name: String) -> @Sendable (Job.Failure?) -> Void {
      { failure in
        self.all.withLock { $0.append((name, failure)) }
        self.arrivals.signal()
      }
    }

    var names: [String] { all.withLock { $0.map(\.name) } }
    var failures: [Job.Failure?] { all.withLock { $0.map(\.failure) } }

    /// Waits until some more jobs have ended; false after 30 seconds.
    func wait(_ count: Int) -> Bool {
      (0..<count).allSatisfy { _ in arrivals.wait(timeout: .now() + 30) == .success }
    }
  }

  @Test func `long jobs of other clients go on while one works`() {
    let queue = WorkQueue(turns: 1)
    let ends = Ends()
    // Each needs that the others have been at work.
    let seen = Locked<Set<UInt64>>([])
    for client in 1...3 as ClosedRange<UInt64> {
      queue.enqueue(
        WorkQueueTests.job(
          of: client,
          until: {
            seen.withLock {
              $0.insert(client)
              return $0.count == 3
            }
          }, end: ends.note("\(client)")))
    }
    #expect(ends.wait(3) && ends.failures == [nil, nil, nil])
  }

  @Test func `quick jobs don't wait for long ones, however many have begun`() {
    let queue = WorkQueue(turns: 2)
    let ends = Ends()
    let quick = Locked(0)
    for number in 0..<40 {
      queue.enqueue(
        WorkQueueTests.job(
          of: UInt64(number % 7), until: { quick.withLock { $0 } == 20 },
          end: ends.note("long")))
    }
    for _ in 0..<20 {
      queue.enqueue(
        Job(
          of: 9, isLong: false, isAbandoned: { false }, fail: { _ in },
          work: {
            ends.note("quick")(nil)
            quick.withLock { $0 += 1 }
          }))
    }
    #expect(ends.wait(60))
    #expect(ends.names.prefix(20) == Array(repeating: "quick", count: 20)[...])
  }

  @Test func `a job that isn't as quick as it seemed waits with the long ones`() {
    let queue = WorkQueue(turns: 1)
    let ends = Ends()
    let stop = Locked(false)
    // More than there are threads for quick work.
    for client in 1...8 as ClosedRange<UInt64> {
      queue.enqueue(
        WorkQueueTests.job(
          of: client, isLong: false, until: { stop.withLock { $0 } }, end: ends.note("slow")))
    }
    queue.enqueue(
      WorkQueueTests.job(of: 9, isLong: false, until: { true }, end: ends.note("quick")))
    #expect(ends.wait(1) && ends.names == ["quick"])
    stop.withLock { $0 = true }
    #expect(ends.wait(8))
  }

  @Test func `jobs of one client that aren't as quick as they seemed keep nobody from working`() {
    let queue = WorkQueue(turns: 1)
    let ends = Ends()
    let stop = Locked(false)
    let running = Locked(Set<Int>())
    // More than may be begun of long ones: some are interrupted, to begin again.
    for number in 0..<12 {
      queue.enqueue(
        WorkQueueTests.job(
          of: 1, isLong: false,
          until: {
            running.withLock { _ = $0.insert(number) }
            return stop.withLock { $0 }
          }, end: ends.note("slow")))
    }
    while running.withLock({ $0.count }) < 8 { usleep(1000) }
    usleep(100_000)
    queue.enqueue(WorkQueueTests.job(of: 2, until: { true }, end: ends.note("other")))
    stop.withLock { $0 = true }
    #expect(ends.wait(13) && ends.failures.allSatisfy { $0 == nil })
  }

  @Test func `a quick job stays quick while other programs use the processors`() {
    let queue = WorkQueue(turns: 1)
    let ends = Ends()
    let stop = Locked(false)
    // As many as may be begun, and more.
    for client in 1...8 as ClosedRange<UInt64> {
      queue.enqueue(
        WorkQueueTests.job(of: client, until: { stop.withLock { $0 } }, end: ends.note("long")))
    }
    let naps = Locked(20)
    queue.enqueue(
      WorkQueueTests.job(
        of: 9, isLong: false,
        until: {
          usleep(2000)
          return naps.withLock { naps in
            naps -= 1
            return naps < 0
          }
        }, end: ends.note("quick")))
    #expect(ends.wait(1) && ends.names == ["quick"])
    stop.withLock { $0 = true }
    #expect(ends.wait(8))
  }

  @Test func `a job ends when its client has gone, begun or not`() {
    let queue = WorkQueue(turns: 1)
    let ends = Ends()
    let gone = Locked(false)
    for number in 0..<30 {
      queue.enqueue(
        WorkQueueTests.job(
          of: 1, isAbandoned: { gone.withLock { $0 } }, until: { false },
          end: ends.note("\(number)")))
    }
    gone.withLock { $0 = true }
    #expect(ends.wait(30) && ends.failures.allSatisfy { $0 == .abandoned })
  }

  @Test func `a job ends when its time is up, begun or not`() {
    let queue = WorkQueue(turns: 1)
    let ends = Ends()
    for number in 0..<10 {
      queue.enqueue(
        WorkQueueTests.job(
          of: 1, deadline: MonotonicTime.now + 50_000_000, until: { false },
          end: ends.note("\(number)")))
    }
    #expect(ends.wait(10) && ends.failures.allSatisfy { $0 == .late })
  }

  @Test func `what waits ends when nobody needs it, though nobody gives a turn away`() {
    let queue = WorkQueue(turns: 1)
    let ends = Ends()
    let gate = DispatchSemaphore(value: 0)
    let (isAtWork, gone) = (Locked(false), Locked(false))
    func late(_ name: String) {
      queue.enqueue(
        WorkQueueTests.job(
          of: 3, deadline: MonotonicTime.now + 20_000_000, until: { false }, end: ends.note(name)))
    }
    queue.enqueue(
      WorkQueueTests.job(
        of: 1, isAbandoned: { gone.withLock { $0 } },
        until: {
          isAtWork.withLock { $0 = true }
          return false
        }, end: ends.note("begun")))
    while !isAtWork.withLock({ $0 }) { usleep(1000) }
    // Has the turn, once it gets it, until the gate opens.
    queue.enqueue(
      Job(
        of: 2, isLong: true, isAbandoned: { false }, fail: { _ in },
        work: {
          isAtWork.withLock { $0 = false }
          gate.wait()
          ends.note("blocked")(nil)
        }))
    while isAtWork.withLock({ $0 }) { usleep(1000) }
    for number in 0..<5 { late("\(number)") }
    queue.enqueue(
      WorkQueueTests.job(
        of: 1, isAbandoned: { gone.withLock { $0 } }, until: { false }, end: ends.note("new")))
    gone.withLock { $0 = true }
    #expect(ends.wait(7))
    #expect(Set(ends.names) == ["begun", "new", "0", "1", "2", "3", "4"])
    #expect(
      ends.failures.count { $0 == .late } == 5 && ends.failures.count { $0 == .abandoned } == 2)
    gate.signal()
    #expect(ends.wait(1))
  }

  @Test func `long work goes on however much quick work there is`() {
    let queue = WorkQueue(turns: 1)
    let ends = Ends()
    let stop = Locked(false)
    @Sendable func flood(_ client: UInt64) {
      queue.enqueue(
        Job(
          of: client, isLong: false, isAbandoned: { false }, fail: { _ in },
          work: {
            // As soon as it has ended there is another one.
            usleep(500)
            if stop.withLock({ $0 }) { ends.note("quick")(nil) } else { flood(client) }
          }))
    }
    for client in 10..<20 as Range<UInt64> { flood(client) }
    let steps = Locked(20)
    queue.enqueue(
      WorkQueueTests.job(
        of: 1,
        until: {
          usleep(1000)
          return steps.withLock { steps in
            steps -= 1
            return steps < 0
          }
        }, end: ends.note("long")))
    #expect(ends.wait(1) && ends.names == ["long"])
    stop.withLock { $0 = true }
    #expect(ends.wait(10))
  }

  @Test func `too many jobs are refused, those of the client with most of them`() {
    let queue = WorkQueue(turns: 1)
    let ends = Ends()
    let stop = Locked(false)
    for number in 0..<1010 {
      queue.enqueue(
        WorkQueueTests.job(
          of: number == 1009 ? 2 : 1, until: { stop.withLock { $0 } },
          end: ends.note(number == 1009 ? "other" : "greedy")))
    }
    #expect(ends.wait(1))
    #expect(ends.failures.allSatisfy { $0 == .refused } && !ends.names.contains("other"))
    stop.withLock { $0 = true }
    #expect(ends.wait(1009) && ends.failures.count { $0 == nil } > 1000)
  }

  @Test func `a job that waits for another lets it work`() {
    let queue = WorkQueue(turns: 1)
    let ends = Ends()
    let lock = Locked(0)
    let isHeld = Locked(false)
    // The first lets others work while it holds the lock, for which they wait.
    queue.enqueue(
      Job(
        of: 1, isLong: true, isAbandoned: { false }, fail: { ends.note("first")($0) },
        work: {
          lock.withLongLock { value in
            isHeld.withLock { $0 = true }
            let end = MonotonicTime.now + 50_000_000
            while MonotonicTime.now < end { Cancellation.poll(10_000) }
            value += 1
          }
          ends.note("first")(nil)
        }))
    while !isHeld.withLock({ $0 }) {}
    for client in 2...6 as ClosedRange<UInt64> {
      queue.enqueue(
        Job(
          of: client, isLong: true, isAbandoned: { false }, fail: { ends.note("next")($0) },
          work: {
            lock.withLongLock { $0 += 1 }
            ends.note("next")(nil)
          }))
    }
    #expect(ends.wait(6) && lock.withLock { $0 } == 6)
  }

  @Test func `a queue that is freed does what it was given`() {
    let ends = Ends()
    for _ in 0..<20 {
      let queue = WorkQueue(turns: 1)
      for client in 0..<5 as Range<UInt64> {
        queue.enqueue(WorkQueueTests.job(of: client, until: { true }, end: ends.note("done")))
      }
    }
    #expect(ends.wait(100))
  }
}
