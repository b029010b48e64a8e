import Glibc
import Texts

/// The environment variables of this process.
enum Environment {
  /// Names that other programs of this repository read.
  private static let foreign = [
    "PINCLUSTER_TEST_", "PINCLUSTER_KILL_", "PINCLUSTER_FUZZ_", "PINCLUSTER_BINARY",
  ]

  /// The value of a variable; nil if it isn't set.
  static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// The variables whose names begin with PINCLUSTER_ but that nothing reads, in order. Without those that
  /// Kubernetes sets for its Services.
  // Characters: names of variables of the program
  static func unknown(beside known: Set<String>) -> [String] {
    let names = names(prefix: "PINCLUSTER_")
    let services = names.filter { $0.ends(with: "_SERVICE_HOST") }.map {
      Substring($0.utf8.dropLast(13))
    }
    return names.filter { name in
      !known.contains(name) && !foreign.contains { name.begins(with: $0) }
        && !services.contains { service in
          name == service + "_PORT"
            || ["_SERVICE_HOST", "_SERVICE_PORT", "_PORT_"].contains {
              name.begins(with: service + $0)
            }
        }
    }
  }

  private static func names(prefix: String) -> [String] {
    var found: [String] = []
    var next = environ
    while let entry = next.pointee {
      if strncmp(entry, prefix, prefix.utf8.count) == 0 {
        found.append(String(String(cString: entry).cut(at: UInt8(ascii: "=")).0))
      }
      next += 1
    }
    return found.sorted()
  }
}
