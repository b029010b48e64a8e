extension Fields {
  /// The most elements of any list. Most lists take fewer.
  static let maximumElements = 10_000

  /// Refuses a list or object that has too many elements.
  func checkCount(
    _ count: Int, _ kind: StaticString, of name: String, atMost maximum: Int
  ) throws(Problem) {
    guard count > maximum else { return }
    throw problem(name, status: 422, "\(name) has \(count) \(kind), more than \(maximum)")
  }
}
