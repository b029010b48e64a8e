import Glibc

/// The seeds of a test that tries random things, and of which a seed chooses no more than the data. Where it also chooses sizes or
/// kinds, a test lists its seeds.
public enum Seeds {
  /// The last of them, or all where PINCLUSTER_TEST_SEEDS is `all`, as it is each night (`.github/workflows`). A seed more
  /// looks at the same code with other data.
  public static func each(_ seeds: ClosedRange<UInt64>) -> [UInt64] {
    let areAll = getenv("PINCLUSTER_TEST_SEEDS").map { String(cString: $0) } == "all"
    return areAll ? Array(seeds) : [seeds.upperBound]
  }

  /// The minutes for those.
  public static var minutes: Int { histories > 10_000 ? 600 : 5 }

  /// How many random histories a model is led through, as PINCLUSTER_TEST_HISTORIES says.
  public static var histories: UInt64 {
    getenv("PINCLUSTER_TEST_HISTORIES").flatMap { UInt64(String(cString: $0)) } ?? 2000
  }
}
