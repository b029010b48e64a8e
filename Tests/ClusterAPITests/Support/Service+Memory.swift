import Collections
import Testing

@testable import ClusterAPI

extension Service {
  /// Checks that no write takes memory any more. A thread may free a body after its answer.
  func expectAllWriteMemory() async throws {
    var isFree = false
    for _ in 0..<500 where !isFree {
      isFree = writer.memory.share(of: WriteLimits().decodedBytes - 2048, for: 0) != nil
      if !isFree { try await Task.sleep(for: .milliseconds(20)) }
    }
    #expect(isFree)
  }
}
