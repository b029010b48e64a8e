import Glibc
internal import Texts

/// The changes of others that notifications tell of. Any role that may connect may notify, as often as it likes and of
/// whatever it likes, so of many or long notifications no more is kept than that there were some.
struct PostgresNotices {
  /// The most collections that are named, and the longest notification that is read, in bytes.
  static let (mostKeys, longest) = (1000, 400)

  /// The keys of collections that may have changed; there may be none such.
  private(set) var keys: Set<Int64> = []
  /// Whether any collection may have changed.
  private(set) var mayConcernAll = false

  /// Adds a notification: keys with commas between them, or `*`.
  mutating func add(_ text: UnsafePointer<CChar>) {
    guard !mayConcernAll else { return }
    guard strnlen(text, PostgresNotices.longest + 1) <= PostgresNotices.longest else {
      (mayConcernAll, keys) = (true, [])
      return
    }
    for part in String(cString: text).parts(separatedBy: UInt8(ascii: ",")) {
      if let key = Int64(part) { keys.insert(key) }
      if part.isSame(as: "*") { mayConcernAll = true }
    }
    if keys.count > PostgresNotices.mostKeys { (mayConcernAll, keys) = (true, []) }
  }
}
