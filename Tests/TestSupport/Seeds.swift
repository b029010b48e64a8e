import Glibc

/// The seeds of a test that tries random things.
public enum Seeds {
  /// All of them; only the last where PINCLUSTER_TEST_SEEDS is `last`, as it is with the thread sanitizer: it looks at
  /// the same code each time, many times as slowly, and all seeds are tried with the address sanitizer.
  public static func each(_ seeds: ClosedRange<UInt64>) -> [UInt64] {
    let isLastOnly = getenv("PINCLUSTER_TEST_SEEDS").map { String(cString: $0) } == "last"
    return isLastOnly ? [seeds.upperBound] : Array(seeds)
  }

  /// The minutes for those.
  public static var minutes: Int { histories > 10_000 ? 600 : 5 }

  /// How many random histories a model is led through, as PINCLUSTER_TEST_HISTORIES says.
  public static var histories: UInt64 {
    getenv("PINCLUSTER_TEST_HISTORIES").flatMap { UInt64(String(cString: $0)) } ?? 2000
  }
}
