import ClusterCore
import GeoFormats
import Glibc

/// Writes synthetic features with about 100 bytes of properties each, one GeoJSON Feature a line.
enum SampleFile {
  private static let kinds = ["bakery", "bridge", "cinema", "garden", "harbour", "library"]

  struct Failure: Error, CustomStringConvertible {
    var path: String
    var code: Int32
    var description: String { "\(path) can't be written: \(String(cString: strerror(code)))" }
  }

  static func write(count: Int, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
    defer { close(descriptor) }
    var synthetic = Synthetic(seed: 3)
    var lines = JSONWriter(reserving: 2 << 20)
    for (place, point) in synthetic.cities(count).enumerated() {
      try feature(place, point).withRecord(at: 0) { lines.feature($0) }
      lines.newline()
      if lines.count > 1 << 20 || place + 1 == count {
        try lines.withBytes { try write($0, to: descriptor, path) }
        lines.removeAll()
      }
    }
  }

  private static func feature(_ place: Int, _ point: Coordinate) throws -> FeatureBatch {
    var properties = JSONWriter(reserving: 128)
    properties.beginObject()
    properties.member("name", "Place number \(1_000_000 + place)")
    properties.member("kind", kinds[place % kinds.count])
    properties.member("visitors", place * 7919 % 100_003)
    properties.member("note", "what a person would write here")
    properties.endObject()
    var batch = FeatureBatch()
    try properties.withBytes {
      batch.append(
        id: try FeatureID(integer: Int64(place + 1)), coordinate: point,
        further: UnsafeBufferPointer(start: nil, count: 0), properties: $0)
    }
    return batch
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ path: String
  ) throws(Failure) {
    var rest = bytes
    while !rest.isEmpty {
      let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
      guard written > 0 else { throw Failure(path: path, code: errno) }
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
  }
}
