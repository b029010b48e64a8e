import Glibc

/// The end of the process if the system grants too little memory or too few threads.
public enum Shortage {
  /// Ends the process with exit code 1 and one line on standard error, for which no memory is taken: "pincluster: ",
  /// what there is not, and how many bytes of it if a number is given.
  public static func end(_ what: StaticString, bytes: Int? = nil) -> Never {
    func write(_ text: StaticString) {
      _ = Glibc.write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }
    write("pincluster: ")
    write(what)
    if let bytes {
      write(": ")
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
        var (rest, start) = (bytes.magnitude, digits.count)
        repeat {
          start -= 1
          digits[start] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        } while rest > 0
        _ = Glibc.write(STDERR_FILENO, digits.baseAddress.map { $0 + start }, digits.count - start)
      }
      write(" bytes can't be had")
    }
    write("\n")
    _exit(1)
  }
}
