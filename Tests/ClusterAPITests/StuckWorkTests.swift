import Dispatch
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import ClusterAPI

/// A service in which work can't go on says so.
@Suite(.timeLimit(.minutes(10))) struct StuckWorkTests {
  @Test func `a lane in which nothing ends makes the service unready, and is told once`()
    async throws
  {
    let service = try Service(requestTimeout: 1)
    (await service.get("/health/ready")).expect(200)
    let gate = DispatchSemaphore(value: 0)
    let (begun, ended) = (Locked(0), Locked(0))
    // More than can work at a time, by which all turns for long work are taken and never given back.
    let count = Processors.count + 1
    for client in 1...count {
      service.api.readWork.enqueue(
        Job(
          of: UInt64(client), isLong: true, isAbandoned: { false }, fail: { _ in },
          work: {
            begun.withLock { $0 += 1 }
            gate.wait()
            ended.withLock { $0 += 1 }
          }))
    }
    func status(_ wanted: Int) async throws -> Answer {
      for _ in 0..<3000 {
        let answer = await service.get("/health/ready")
        if answer.status == wanted { return answer }
        try await Task.sleep(for: .milliseconds(10))
      }
      return await service.get("/health/ready")
    }
    let answer = try await status(503)
    #expect(answer.status == 503 && answer.text.contains("long work is stuck"))
    #expect(answer.response.header("Retry-After") == "1")
    #expect(begun.value == count - 1)
    #expect(await service.get("/metrics").text.contains("pincluster_ready 0"))
    for _ in 0..<20 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(service.reports.value.filter { $0.contains("long work is stuck") }.count == 1)
    for _ in 0..<count { gate.signal() }
    (try await status(200)).expect(200)
    #expect(await service.get("/metrics").text.contains("pincluster_ready 1"))
    while ended.value < count { try await Task.sleep(for: .milliseconds(10)) }
  }
}
