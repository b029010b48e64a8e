import Testing

@testable import FeatureStore

/// Notifications, which any role may send.
@Suite(.timeLimit(.minutes(1))) struct PostgresNoticesTests {
  private func notices(_ payloads: [String]) -> PostgresNotices {
    var notices = PostgresNotices()
    for payload in payloads { payload.withCString { notices.add($0) } }
    return notices
  }

  @Test func `keys are those of collections that may have changed`() {
    let found = notices(["1,22", "22", "333", "", "x", "4,y,5", "-6"])
    #expect(found.keys == [1, 22, 333, 4, 5, -6] && !found.mayConcernAll)
    #expect(notices([]).keys.isEmpty && !notices(["", "z"]).mayConcernAll)
  }

  @Test func `a star, a long one or many concern all, and no more is kept of any`() {
    #expect(notices(["1", "*"]).mayConcernAll)
    let longest = String(repeating: "1,", count: 200)
    #expect(longest.utf8.count == PostgresNotices.longest)
    #expect(notices([longest]).keys == [1] && !notices([longest]).mayConcernAll)
    #expect(notices([longest + "1"]).mayConcernAll && notices([longest + "1"]).keys.isEmpty)
    let many = (1...PostgresNotices.mostKeys).map { "\($0)" }
    #expect(notices(many).keys.count == PostgresNotices.mostKeys && !notices(many).mayConcernAll)
    let more = notices(many + ["0", "5"])
    #expect(more.mayConcernAll && more.keys.isEmpty)
  }
}
