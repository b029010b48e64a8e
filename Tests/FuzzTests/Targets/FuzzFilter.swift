import Collections
import TestSupport
import Threading

@testable import ClusterCore
@testable import GeoFormats

/// Filters in CQL2: what is read is normal once it is normalised, and passes the features that its parts let it.
final class FuzzFilter: Sendable {
  static let shared = FuzzFilter()

  /// Features with values of each type.
  let collection: IndexedCollection
  private let ordinals: [Int]

  private init() {
    var random = SeededGenerator(seed: 1)
    let values = [
      "1", "-2.5", "1e300", "\"a\"", "\"Ab%\"", "\"\"", "true", "null", "[1]", "\"2020-01-02\"",
      "\"2020-01-02T03:04:05Z\"", "\"2019-12-31T23:59:59.999Z\"", "\"ÄB\"", "0",
    ]
    let features = (0..<90).map { number in
      let members = ["a", "b", "c", "t", "geom"].filter { _ in random.chance(0.8) }
        .map { "\"\($0)\":\(random.pick(values))" }
      return """
        {"type":"Feature","id":\(number % 3 == 0 ? "\"id \(number)\"" : "\(number)"),"geometry":{"type":"Point",\
        "coordinates":[\(random.int(-24...24)),\(random.int(-9...9) * 10)]},"properties":{\(members.joined(separator: ","))}}
        """
    }
    // In many small blocks. There is memory for ninety features, and they are well-formed.
    let empty = IndexedCollection(FeatureIndex(blockCapacity: 8))
    let batch = try? Array(features.joined(separator: "\n").utf8).withUnsafeBytes {
      try ParsedFeatures($0, .geoJSONSequence).batch
    }
    collection = (try? empty.applying([.upsert(batch ?? FeatureBatch())]).collection) ?? empty
    precondition(collection.index.count == 90)
    var ordinals: [Int] = []
    collection.index.points.forEachRun { ordinals += $0 }
    self.ordinals = ordinals
  }

  func feed(text: UnsafeRawBufferPointer) throws {
    if let filter = try? CQL2.read(Array(text)) { try check(filter) }
  }

  func feed(json: UnsafeRawBufferPointer) throws {
    let parser = JSONParser()
    guard let json = try? parser.parse(json), let filter = try? CQL2.read(json) else { return }
    try check(filter)
  }

  private func check(_ filter: FilterExpression) throws {
    try FuzzFinding.unless(
      filter.normalised.normalised == filter.normalised, "normalised again: \(filter)")
    guard filter.conditionCount <= 60 else { return }
    let whole = try passing(filter)
    try FuzzFinding.unless(
      whole == (try composed(filter, isNegated: false)), "not as its parts say: \(filter)")
    try FuzzFinding.unless(
      try passing(.not(filter)) == composed(filter, isNegated: true),
      "not as its parts say: NOT \(filter)")
    try FuzzFinding.unless(
      try passing(.not(filter)).isDisjoint(with: whole), "true and not: \(filter)")
  }

  /// The features that pass, in each of the ways to ask.
  private func passing(_ filter: FilterExpression) throws -> Set<Int> {
    let index = collection.index
    let bound = BoundFilter(filter, of: index) { name in
      switch name.reading {
      case .values: collection.column(name, decoder: JSONPropertyDecoder())
      case .times, .days: collection.column(name, decoder: JSONTimeDecoder(name.reading))
      }
    }
    let passing = ordinals.filter { bound.passes($0) }
    var others: [Int] = []
    index.points.forEachRun { run in bound.forEachPassing(in: run) { others.append($0) } }
    try FuzzFinding.unless(passing == others, "alone and together: \(filter)")
    for (number, block) in index.blocks.enumerated() {
      var words = [UInt64](repeating: 0, count: (block.count + 63) / 64)
      let count = bound.write(maskOfBlock: number, count: block.count, to: &words)
      let start = number << PointIndex.blockBits
      let expected = passing.filter { $0 >> PointIndex.blockBits == number }
      let found = (0..<block.count).filter { words[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
      try FuzzFinding.unless(
        found.map { start + $0 } == expected && count == expected.count,
        "block \(number): \(filter)")
      switch bound.coverage(ofBlock: number) {
      case .partial: break
      case .inside:
        try FuzzFinding.unless(count == block.count, "block \(number) is not full: \(filter)")
      case .outside: try FuzzFinding.unless(count == 0, "block \(number) is not empty: \(filter)")
      }
    }
    return Set(passing)
  }

  /// The features for which it is true, or false if it is negated, by those of its smallest parts.
  private func composed(_ filter: FilterExpression, isNegated: Bool) throws -> Set<Int> {
    func all(_ parts: [FilterExpression], _ isNegated: Bool) throws -> Set<Int> {
      try parts.reduce(Set(ordinals)) { $0.intersection(try composed($1, isNegated: isNegated)) }
    }
    func any(_ parts: [FilterExpression], _ isNegated: Bool) throws -> Set<Int> {
      try parts.reduce([]) { $0.union(try composed($1, isNegated: isNegated)) }
    }
    switch filter {
    case .not(let inner): return try composed(inner, isNegated: !isNegated)
    case .and(let parts): return isNegated ? try any(parts, true) : try all(parts, false)
    case .or(let parts): return isNegated ? try all(parts, true) : try any(parts, false)
    case .inList(let value, let list):
      return try composed(
        .or(list.map { .comparison(value, .equal, $0) }), isNegated: isNegated)
    case .between(let value, let low, let high):
      return try composed(
        .and([.comparison(value, .greaterOrEqual, low), .comparison(value, .lessOrEqual, high)]),
        isNegated: isNegated)
    case .literal(let value): return value != isNegated ? Set(ordinals) : []
    case .isNull, .shape, .window:
      // Never unknown.
      let those = try passing(filter)
      return isNegated ? Set(ordinals).subtracting(those) : those
    case .comparison, .like, .temporal:
      return try passing(isNegated ? .not(filter) : filter)
    }
  }
}
