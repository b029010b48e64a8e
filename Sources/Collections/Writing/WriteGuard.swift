import ClusterCore

/// Keeps writes to the features that a filter passes.
struct WriteGuard {
  private let filter: FilterExpression

  /// A guard for the writes of a tenant; nil without a filter.
  init?(_ filter: FilterExpression?) {
    guard let filter else { return nil }
    self.filter = filter
  }

  /// Whether one feature passes.
  func passes(_ record: FeatureRecord) throws -> Bool {
    var batch = FeatureBatch()
    batch.append(record)
    return try passing(batch).allSatisfy(\.self)
  }

  /// Refuses to write features that don't pass.
  ///
  /// - Parameter stored: calls its argument with the feature stored under an id, if there is one.
  /// - Throws: ``CollectionsError/forbiddenFeatures(_:)`` if some don't, or would replace others that don't.
  func check(
    _ batch: FeatureBatch, stored: (FeatureID, (FeatureRecord) -> Void) throws -> Void
  ) throws {
    let ids = (0..<batch.count).map { number in batch.withRecord(at: number) { $0.id } }
    let (there, passing) = try existing(ids, stored)
    var refused = Set(zip(there, passing).compactMap { $1 ? nil : $0 })
    for (number, passes) in try self.passing(batch).enumerated() where !passes {
      refused.insert(number)
    }
    if !refused.isEmpty { throw CollectionsError.forbiddenFeatures(refused.sorted()) }
  }

  /// Those of some features that are stored and pass.
  func visible(
    _ ids: [FeatureID], stored: (FeatureID, (FeatureRecord) -> Void) throws -> Void
  ) throws -> [FeatureID] {
    let (there, passing) = try existing(ids, stored)
    return zip(there, passing).compactMap { $1 ? ids[$0] : nil }
  }

  /// The numbers of the features that are stored, and whether they pass.
  private func existing(
    _ ids: [FeatureID], _ stored: (FeatureID, (FeatureRecord) -> Void) throws -> Void
  ) throws -> (numbers: [Int], passing: [Bool]) {
    var (batch, numbers) = (FeatureBatch(), [Int]())
    for (number, id) in ids.enumerated() {
      try stored(id) { record in
        batch.append(record)
        numbers.append(number)
      }
    }
    return (numbers, try passing(batch))
  }

  private func passing(_ batch: FeatureBatch) throws -> [Bool] {
    try batch.passing { try $0.filter(ofKey: filter) }
  }
}

extension FeatureBatch {
  /// Gives features without an id a random one, which tells nothing of others.
  mutating func assignRandomIDs() throws(FeatureID.Invalid) {
    guard (0..<count).contains(where: { withRecord(at: $0) { $0.needsID } }) else { return }
    var named = FeatureBatch()
    named.reserveCapacity(features: count, bytes: byteCount + 32 * count)
    for number in 0..<count {
      let id = withRecord(at: number, { $0.needsID }) ? try FeatureID.random() : nil
      withRecord(at: number) { named.append($0, as: id) }
    }
    self = named
  }

  /// Removes features by their numbers, which are in order.
  mutating func remove(_ numbers: [Int]) {
    var (kept, rest) = (FeatureBatch(), numbers[...])
    for number in 0..<count {
      if rest.first == number {
        rest.removeFirst()
      } else {
        withRecord(at: number) { kept.append($0) }
      }
    }
    self = kept
  }
}

extension FeatureID {
  /// A random id that nobody has (UUID version 4, RFC 9562), by the system's generator for cryptography.
  fileprivate static func random() throws(Invalid) -> FeatureID {
    var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return try FeatureID(bareText: text)
  }
}
