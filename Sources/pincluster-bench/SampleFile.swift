import GeoFormats
import Glibc

/// Writes synthetic features with about 100 bytes of properties each, one GeoJSON Feature a line.
enum SampleFile {
  struct Failure: Error, CustomStringConvertible {
    var path: String
    var code: Int32
    var description: String { "\(path) can't be written: \(String(cString: strerror(code)))" }
  }

  static func write(count: Int, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
    defer { close(descriptor) }
    var lines = JSONWriter(reserving: 2 << 20)
    let places = SamplePlace.places(count, seed: 3)
    for place in places.indices {
      try SamplePlace.batch(places[place...place]).withRecord(at: 0) { lines.feature($0) }
      lines.newline()
      if lines.count > 1 << 20 || place + 1 == count {
        try lines.withBytes { try write($0, to: descriptor, path) }
        lines.removeAll()
      }
    }
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
