import ClusterCore

/// One of several writers to a collection. It alone writes the features whose property `w` is its
/// number, so it can tell what must be stored of them, whatever the others do.
public struct LiveWriter: Sendable {
  /// Its number.
  public let number: Int
  /// Its features, as the answered writes have left them.
  public private(set) var features: [FeatureID: TwinFeature] = [:]
  /// The write that was sent last, until it is answered.
  public private(set) var pending: LiveWrite?

  private let path: String
  private let span: Int
  private let abilities: LiveAbilities
  private var generator: SeededGenerator
  private var begun = 0

  /// A writer to a collection that holds none of its features, with `span` ids of its own.
  public init(
    _ number: Int, collection: String, abilities: LiveAbilities, seed: UInt64, span: Int = 60
  ) {
    self.number = number
    self.span = span
    self.abilities = abilities
    path = "/collections/\(collection)/items"
    generator = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
  }

  /// Makes up the next write, which then is ``pending``.
  public mutating func next() -> LiveWrite {
    begun += 1
    let write = make()
    pending = write
    return write
  }

  private mutating func make() -> LiveWrite {
    let known = features.keys.sorted()
    switch generator.int(0...19) {
    case 0...1 where features.count < span * 3 / 2:
      let unnamed = (0..<5).map { _ in feature(FeatureID(known: 0)) }
      return post(unnamed.map { $0.geoJSON.replacing("\"id\":0,", with: "") }, [], unnamed)
    case 2...5: return post(named(generator.int(2...8)))
    // A long body, written in a transaction of its own.
    case 6 where generator.chance(0.3): return post(named(span / 3), padding: 300_000)
    case 7...9 where !known.isEmpty: return delete(generator.pick(known))
    case 10 where !known.isEmpty && abilities.deletionByFilter: return deleteOld()
    case 11...13 where !known.isEmpty && abilities.patch: return patch(generator.pick(known))
    default:
      let feature = named(1)[0]
      return LiveWrite(
        "PUT", "\(path)/\(feature.id)", type: "application/geo+json", body: feature.geoJSON,
        status: features[feature.id] == nil ? 201 : 200, changes: [feature.id: feature])
    }
  }

  // MARK: Kinds of writes

  private mutating func feature(_ id: FeatureID) -> TwinFeature {
    TwinFeature(
      id: id,
      coordinate: Coordinate(
        latitude: generator.double(-80...80), longitude: generator.double(-180...180)),
      properties: "{\"w\":\(number),\"n\":\(begun),\"t\":\"\(generator.next())\"}")
  }

  /// So many features with ids of their own, new ones or known ones.
  private mutating func named(_ count: Int) -> [TwinFeature] {
    let first = generator.int(0...span - 1)
    return (0..<count).map { step in
      let serial = (first + step) % span
      return feature(
        serial % 3 == 0
          ? FeatureID(known: "w\(number)-\(serial)") : FeatureID(known: number * 100 + serial))
    }
  }

  private func post(_ features: [TwinFeature], padding: Int = 0) -> LiveWrite {
    post(features.map(\.geoJSON), features, [], padding: padding)
  }

  private func post(
    _ texts: [String], _ named: [TwinFeature], _ unnamed: [TwinFeature], padding: Int = 0
  ) -> LiveWrite {
    LiveWrite(
      "POST", path, type: "application/geo+json",
      body: "{\"type\":\"FeatureCollection\",\"features\":["
        + String(repeating: " ", count: padding) + texts.joined(separator: ",") + "]}",
      status: 200, changes: Dictionary(uniqueKeysWithValues: named.map { ($0.id, $0) }),
      unnamed: unnamed)
  }

  private func delete(_ id: FeatureID) -> LiveWrite {
    LiveWrite("DELETE", "\(path)/\(id)", status: 204, changes: [id: nil])
  }

  /// Removes what was written longest ago, and nothing more than a few.
  private func deleteOld() -> LiveWrite {
    let ages = features.values.compactMap { $0.property("n")?.int }.sorted()
    let limit = ages[min(3, ages.count - 1)]
    let old = features.values.filter { $0.property("n")?.int ?? limit < limit }
    return LiveWrite(
      "DELETE", "\(path)?filter=w%3D\(number)%20AND%20n%3C\(limit)", status: 200,
      changes: Dictionary(uniqueKeysWithValues: old.map { ($0.id, nil) }))
  }

  /// Moves a feature and changes a property of it.
  private mutating func patch(_ id: FeatureID) -> LiveWrite {
    var changed = features[id] ?? feature(id)
    let old = changed.property("n")?.int ?? 0
    changed.coordinate = feature(id).coordinate
    changed.properties = changed.properties?.replacing("\"n\":\(old),", with: "\"n\":\(begun),")
    let coordinate = changed.coordinate
    let coordinates =
      "[\(TestJSON(coordinate.longitude).text),\(TestJSON(coordinate.latitude).text)]"
    return LiveWrite(
      "PATCH", "\(path)/\(id)", type: "application/merge-patch+json",
      body: "{\"geometry\":{\"coordinates\":\(coordinates)},\"properties\":{\"n\":\(begun)}}",
      status: 200, changes: [id: changed])
  }
}

extension LiveWriter {
  /// Takes the answer to the pending write; what is wrong with it, nil if nothing is.
  public mutating func take(status: Int, body: TestJSON) -> String? {
    guard let write = pending else { return "an answer to nothing" }
    let name = "\(write.method) \(write.path)"
    guard status == write.status else { return "\(name): \(status) \(body.text.prefix(300))" }
    var ids: [FeatureID] = []
    if write.method == "POST" {
      let all = (body["ids"]?.array ?? []).compactMap { $0.double.map { Int($0) } }
      ids = write.unnamed.isEmpty ? [] : all.map { FeatureID(known: $0) }
      let new = write.changes.keys.filter { features[$0] == nil }.count + write.unnamed.count
      guard body["inserted"]?.int == new, ids.count == write.unnamed.count,
        body["updated"]?.int == write.changes.count + write.unnamed.count - new,
        ids.allSatisfy({ features[$0] == nil })
      else { return "\(name): \(body.text.prefix(300)) where \(new) are new" }
    }
    if write.method == "DELETE", status == 200, body["deleted"]?.int != write.changes.count {
      return "\(name): \(body.text) of \(write.changes.count)"
    }
    features = write.applied(to: features, ids: ids)
    pending = nil
    return nil
  }

  /// Takes the answer that the pending write was refused and has changed nothing.
  public mutating func takeRefusal() { pending = nil }

  /// Takes over which of its features are stored: those that the answered writes have left, with
  /// all of the unanswered one or nothing of it. What is wrong with them, nil if nothing is; and
  /// whether the unanswered one is stored.
  public mutating func settle(
    with stored: [FeatureID: TwinFeature]
  ) -> (fault: String?, isPendingStored: Bool) {
    let write = pending
    pending = nil
    if stored == features { return (nil, false) }
    let before = features
    features = stored
    if let write {
      let new = write.unnamed.isEmpty ? [] : stored.keys.filter { before[$0] == nil }.sorted()
      if write.applied(to: before, ids: new) == stored { return (nil, true) }
    }
    let ids = Set(before.keys).union(stored.keys).filter { before[$0] != stored[$0] }.sorted()
    let differences = ids.prefix(5).map { id in
      "\(id): \(before[id]?.geoJSON ?? "none") became \(stored[id]?.geoJSON ?? "none")"
    }
    return (
      "writer \(number) after \(write.map { "an unanswered \($0.method)" } ?? "answers"): "
        + "\(ids.count) differ: \(differences.joined(separator: "; "))", false
    )
  }

  /// Sorts features as they are stored by writer.
  public static func byWriter(_ features: [TwinFeature]) -> [Int: [FeatureID: TwinFeature]] {
    var result: [Int: [FeatureID: TwinFeature]] = [:]
    for feature in features {
      result[feature.property("w")?.int ?? -1, default: [:]][feature.id] = feature
    }
    return result
  }
}
