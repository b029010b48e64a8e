import Glibc

/// The reason why a benchmark ended early.
struct Failure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// Throws with a text unless a condition holds.
func ensure(_ condition: Bool, _ text: @autoclosure () -> String) throws(Failure) {
  guard condition else { throw Failure(text()) }
}

/// The lines of a text file, without their ends.
func lines(of path: String) throws(Failure) -> [String] {
  guard let file = fopen(path, "r") else {
    throw Failure("\(path) cannot be read: \(String(cString: strerror(errno)))")
  }
  defer { fclose(file) }
  var (line, room): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
  defer { free(line) }
  var lines: [String] = []
  while case let count = getline(&line, &room, file), count > 0, let line {
    let bytes = UnsafeRawBufferPointer(start: line, count: count)
    lines.append(String(decoding: bytes.prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self))
  }
  return lines
}
