/// The error of a file, before its path is known.
struct Fault: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
