import ClusterCore
import FeatureStore
import Glibc
import Testing

@Suite struct FeatureStoreTests {
  @Test func exitTest() async throws {
    let value = "abc"
    await #expect(processExitsWith: .signal(9)) { [value = value as String] in
      if value == "abc" { raise(9) }
    }
  }
}
