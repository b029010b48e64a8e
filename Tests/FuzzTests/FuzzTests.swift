import TestSupport
import Testing

/// The seeds of the fuzzers and simple mutations of them, always the same ones. `scripts/fuzz` does far more.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FuzzTests {
  /// The inputs of a target are so many, but for seeds that are more.
  private static func inputs(_ target: FuzzTarget) -> Int {
    switch target {
    case .http, .request, .indexFile: 150
    case .cql2Text, .cql2JSON: 250
    default: 600
    }
  }

  @Test(arguments: FuzzTarget.allCases)
  func `nothing is found by few inputs`(target: FuzzTarget) throws {
    let seeds = try seeds(of: target)
    #expect(!seeds.isEmpty)
    for seed in seeds { feed(seed, to: target) }
    var random = SeededGenerator(seed: 15)
    for _ in seeds.count..<max(seeds.count, FuzzTests.inputs(target)) {
      feed(mutant(of: seeds, using: &random), to: target)
    }
  }

  private func feed(_ input: [UInt8], to target: FuzzTarget) {
    do {
      try input.withUnsafeBytes { try target.feed($0) }
    } catch {
      Issue.record("\(target): \(error); the input is \(String(decoding: input, as: UTF8.self))")
    }
  }

  private func seeds(of target: FuzzTarget) throws -> [[UInt8]] {
    let path = "\(Fixtures.root)/Tests/FuzzSeeds/\(target.rawValue)"
    let names = Fixtures.names(in: path).filter { !$0.hasPrefix(".") }
    return try names.map { try Fixtures.bytes(path: "\(path)/\($0)") }
  }

  /// A seed with a few changes, among them a part of another one.
  private func mutant(
    of seeds: [[UInt8]], using random: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = random.pick(seeds)
    for _ in 0..<random.int(1...4) {
      let at = random.int(0...bytes.count)
      let end = min(bytes.count, at + random.pick([0, 1, 1, 2, 30]))
      switch random.int(0...3) {
      case 0: bytes.replaceSubrange(at..<end, with: [UInt8(random.int(0...255))])
      case 1: bytes.removeSubrange(at..<end)
      case 2: bytes.insert(contentsOf: bytes[at..<end], at: random.int(0...bytes.count))
      default:
        let other = random.pick(seeds)
        let start = random.int(0...other.count)
        bytes.replaceSubrange(at..<end, with: other[start...].prefix(random.int(0...40)))
      }
    }
    return bytes
  }
}
