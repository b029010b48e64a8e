// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is built in the Swift 6 language mode with warnings as errors.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// Tests are not optimised, even where what they test and TestSupport are: that would take longer than they do.
let unoptimised: [SwiftSetting] =
  strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// The commit that the binary names, if the build is told: scripts that build it for others set PINCLUSTER_COMMIT.
let commit = Context.environment["PINCLUSTER_COMMIT"] ?? ""
let commitSettings: [CSetting] =
  commit.isEmpty ? [] : [.define("PINCLUSTER_COMMIT", to: "\"\(commit)\"")]

/// The modules that the fuzz targets test.
let fuzzed: [Target.Dependency] = [
  "AccessControl", "CCrypto", "ClusterAPI", "ClusterCore", "Collections", "FeatureStore",
  "GeoFormats", "HTTPServer", "TestSupport", "Threading",
]

/// The fuzz targets: a part of tests, which alone may look into other targets. `scripts/fuzz` builds them as nothing
/// else is built: instrumented, and with libFuzzer.
let fuzzers: [Target] =
  Context.environment["PINCLUSTER_FUZZ"] == nil
  ? [
    .testTarget(
      name: "FuzzTests", dependencies: fuzzed, swiftSettings: unoptimised)
  ]
  : [
    .target(
      name: "FuzzTargets", dependencies: fuzzed, path: "Tests/FuzzTests/Targets",
      swiftSettings: strict),
    .executableTarget(
      name: "pincluster-fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzzer",
      swiftSettings: strict),
  ]

/// The test targets to build, if not all of them: names in PINCLUSTER_TEST_TARGETS, with spaces between. A build for the thread
/// sanitizer has no use for tests that go one step after another.
let chosenTests = Context.environment["PINCLUSTER_TEST_TARGETS"]?
  .split { $0 == " " }.map(String.init)

// Arrows point down only: a target may import what it lists here and nothing else.
let package = Package(
  name: "pincluster",
  platforms: [.iOS(.v15), .macOS(.v12)],
  products: [
    .executable(name: "pincluster", targets: ["pincluster"]),
    .executable(name: "pincluster-bench", targets: ["pincluster-bench"]),
    // For programs that use the service.
    .library(name: "PinclusterClient", targets: ["PinclusterClient"]),
    .library(name: "PinclusterMapKit", targets: ["PinclusterMapKit"]),
  ],
  targets: [
    // System libraries and the shims over them.
    .systemLibrary(name: "CLibevent", pkgConfig: "libevent", providers: [.apt(["libevent-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
      name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "CEvHTTP", dependencies: ["CLibevent"],
      linkerSettings: ["event_pthreads", "event_openssl", "ssl", "crypto"].map {
        .linkedLibrary($0)
      }),
    .target(name: "CResources"),
    .target(name: "CCommit", cSettings: commitSettings),
    .target(name: "CGetopt"),
    .target(name: "CHints"),
    .target(name: "CVectors"),
    .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "CProtozero"),
    .target(name: "CCrypto", linkerSettings: [.linkedLibrary("crypto")]),

    // The targets, the lowest first.
    .target(name: "Texts", swiftSettings: strict),
    .target(name: "Threading", dependencies: ["CHints"], swiftSettings: strict),
    .target(
      name: "ClusterCore", dependencies: ["CHints", "CVectors", "Texts", "Threading"],
      swiftSettings: strict),
    .target(
      name: "GeoFormats",
      dependencies: ["ClusterCore", "CProtozero", "CSimdJSON", "CVectors", "Texts", "Threading"],
      swiftSettings: strict),
    .target(
      name: "FeatureStore",
      dependencies: [
        "CCrypto", "CDeflate", "CLibPQ", "CSQLite", "ClusterCore", "Texts", "Threading",
      ],
      swiftSettings: strict),
    .target(
      name: "HTTPServer", dependencies: ["CCurl", "CEvHTTP", "CDeflate", "Texts", "Threading"],
      swiftSettings: strict),
    .target(
      name: "AccessControl",
      dependencies: ["CCrypto", "ClusterCore", "GeoFormats", "Texts", "Threading"],
      swiftSettings: strict),
    .target(
      name: "Collections",
      dependencies: [
        "AccessControl", "ClusterCore", "FeatureStore", "GeoFormats", "Texts", "Threading",
      ],
      swiftSettings: strict),
    .target(
      name: "ClusterAPI",
      dependencies: [
        "AccessControl", "CHints", "CResources", "ClusterCore", "Collections", "GeoFormats",
        "FeatureStore", "HTTPServer", "Texts", "Threading",
      ],
      swiftSettings: strict),
    .target(
      name: "PinclusterService",
      dependencies: [
        "AccessControl", "ClusterAPI", "ClusterCore", "Collections", "FeatureStore", "GeoFormats",
        "HTTPServer", "Texts", "Threading", "CGetopt", "CHints", "CZlib",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "pincluster", dependencies: ["CCommit", "PinclusterService"], swiftSettings: strict),
    .executableTarget(
      name: "pincluster-bench",
      dependencies: [
        "ClusterAPI", "ClusterCore", "Collections", "FeatureStore", "GeoFormats", "Threading",
        "HTTPServer", "Texts",
      ],
      swiftSettings: strict),
    // The yardstick of the benchmarks: evhttp alone.
    .executableTarget(name: "evhttp-bare", dependencies: ["CLibevent"]),

    // Clients, which know nothing of the service but its contract.
    .target(
      name: "PinclusterClient", path: "clients/swift/PinclusterClient", swiftSettings: strict),
    .target(
      name: "PinclusterMapKit", dependencies: ["PinclusterClient"],
      path: "clients/swift/PinclusterMapKit", swiftSettings: strict),

    // Tests: one folder a target.
    .target(
      name: "TestSupport", dependencies: ["CSQLite", "ClusterCore", "Threading"],
      path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "ClusterCoreTests", dependencies: ["ClusterCore", "TestSupport", "Threading"],
      swiftSettings: unoptimised),
    .testTarget(
      name: "GeoFormatsTests", dependencies: ["GeoFormats", "TestSupport", "Threading"],
      swiftSettings: unoptimised),
    .testTarget(
      name: "FeatureStoreTests",
      dependencies: ["CSQLite", "FeatureStore", "TestSupport", "Threading"],
      swiftSettings: unoptimised),
    .testTarget(
      name: "HTTPServerTests", dependencies: ["HTTPServer", "Threading", "TestSupport"],
      swiftSettings: unoptimised),
    .testTarget(
      name: "CollectionsTests", dependencies: ["Collections", "TestSupport", "Threading"],
      swiftSettings: unoptimised),
    .testTarget(
      name: "ClusterAPITests",
      dependencies: ["AccessControl", "ClusterAPI", "Collections", "TestSupport", "Threading"],
      swiftSettings: unoptimised),
    .testTarget(
      name: "AccessControlTests", dependencies: ["AccessControl", "CCrypto", "TestSupport"],
      swiftSettings: unoptimised),
    .testTarget(
      name: "ServiceTests",
      dependencies: [
        "pincluster", "PinclusterService", "CDeflate", "TestSupport", "Threading",
      ],
      exclude: ["Replay", "TLS"], swiftSettings: unoptimised),
    // Apart from those, so that the thread sanitizer needn't build them.
    .testTarget(
      name: "ConcurrencyTests", dependencies: ["pincluster", "TestSupport", "Threading"],
      swiftSettings: unoptimised),
    .testTarget(
      name: "ClientTests", dependencies: ["PinclusterClient", "TestSupport", "pincluster"],
      swiftSettings: unoptimised),
  ] + fuzzers,
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11,
  cxxLanguageStandard: .cxx20
)

package.targets.removeAll { target in
  target.type == .test && chosenTests?.contains(target.name) == false
}
