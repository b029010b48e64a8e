/// What is wrong in a file, before its path is known.
struct Fault: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
