import TestSupport

@testable import ClusterCore
@testable import FeatureStore

/// Index files. Checksums keep random bytes out, so most inputs say what a file holds, and get theirs made.
///
/// An input begins with 0, and the rest is a file; or with a number of sections, of each its kind, the number of
/// features, and its size in units of four bytes (two bytes, the lower one first), and then what is in them.
enum FuzzIndexFile {
  private static let identity = IndexFileLayout.Identity(
    storeID: 1, IndexFileName(key: 2, nonce: 3, firstChange: 4))

  static func feed(_ input: UnsafeRawBufferPointer) throws {
    var rest = Array(input)[...]
    guard let kind = rest.popFirst() else { return }
    let bytes = kind == 0 ? Array(rest) : file(sections: Int(kind % 8), &rest)
    let path = try FuzzFiles.write(bytes, to: "index")
    guard let file = IndexFile(path, of: identity) else { return }
    guard let index = FeatureIndex.decode(file) else { return }
    let isOrdered = try walk(index)
    // Changes since, of which some may be of features in it.
    let ids = [3, 5, 900].map { FeatureID(known: $0) }
    let after = try index.applying([.remove(ids)]).index
    try FuzzFinding.unless(
      !isOrdered || after.ordinal(of: ids[0]) == nil, "a feature outlived its removal")
  }

  private static func file(sections count: Int, _ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    var sections: [IndexFileSection] = []
    for _ in 0..<count {
      let numbers = (0..<4).map { _ in Int(rest.popFirst() ?? 0) }
      sections.append(
        IndexFileSection(
          kind: numbers[0] % 2 == 0 ? .records : .order,
          byteCount: (numbers[2] + numbers[3] << 8) * 4,
          featureCount: numbers[1]))
    }
    var content = [UInt8](repeating: 0, count: IndexFileLayout.sectionsOffset)
    let table = sections.map { section in
      var bytes = Array(rest.prefix(section.byteCount))
      rest = rest.dropFirst(bytes.count)
      bytes += [UInt8](repeating: 0, count: section.byteCount - bytes.count)
      defer { content += bytes }
      return IndexFileLayout.Entry(
        section, offset: content.count, checksum: bytes.withUnsafeBytes { $0.crc32() })
    }
    content.replaceSubrange(
      0..<IndexFileLayout.headSize,
      with: IndexFileLayout.head(identity, table, offset: content.count))
    return content + table.withUnsafeBytes { Array($0) }
  }

  /// What can't be told from an index is one, and none of it leads astray. Returns whether its ids are in order.
  private static func walk(_ index: FeatureIndex) throws -> Bool {
    var count = 0
    // The order of ids is believed, as to look at all of them would take a start longer than to sort them. One that isn't
    // theirs may hide features, and does nothing else.
    let ids = index.idsInOrder
    let isOrdered = zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }
    try index.points.runs.forEach { run in
      for ordinal in run {
        count += 1
        let record = index.record(at: ordinal)
        let place = record.coordinate
        try FuzzFinding.unless(
          place.latitude.magnitude <= 90 && place.longitude.magnitude <= 180, "no place: \(place)")
        try FuzzFinding.unless(
          !isOrdered || index.ordinal(of: record.id) == ordinal, "found elsewhere: \(record.id)")
        let (first, last) = (record.properties.first, record.properties.last)
        try FuzzFinding.unless(
          first == UInt8(ascii: "{") && last == UInt8(ascii: "}")
            && record.furtherOrdinates.allSatisfy(\.isFinite)
            && record.expires.map(FeatureRecord.expiryRange.contains) ?? true,
          "no record: \(record.id)")
      }
    }
    try FuzzFinding.unless(count == index.count, "\(count) of \(index.count) features")
    let without = try index.applying([.remove(index.expired(at: 500))]).index
    try FuzzFinding.unless(without.count <= count, "more features after a removal")
    var size = 0
    try without.encode { section, _ in size += section.kind == .records ? section.featureCount : 0 }
    try FuzzFinding.unless(
      size == without.count, "\(size) of \(without.count) features are written")
    return isOrdered
  }
}

extension PointIndex {
  fileprivate var runs: [Range<Int>] {
    var runs: [Range<Int>] = []
    forEachRun { runs.append($0) }
    return runs
  }
}

extension FeatureIndex {
  fileprivate var idsInOrder: [FeatureID] {
    var ids: [FeatureID] = []
    directory.forEach {
      ids.append(records[$0].id)
      return true
    }
    return ids
  }
}
