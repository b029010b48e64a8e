// Feeds one target what libFuzzer makes up: pincluster-fuzz TARGET [FLAG | FOLDER]...
import FuzzTargets
import Glibc

typealias FuzzCallback = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32

/// libFuzzer's loop, which `scripts/fuzz` links.
@_silgen_name("LLVMFuzzerRunDriver")
func LLVMFuzzerRunDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ callback: FuzzCallback
) -> Int32

// Set before the first input, and never again.
nonisolated(unsafe) private var target = FuzzTarget.json

guard CommandLine.arguments.count > 1, let chosen = FuzzTarget(rawValue: CommandLine.arguments[1])
else {
  fatalError(
    "the first argument is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
}
target = chosen

/// Feeds one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  do {
    try target.feed(UnsafeRawBufferPointer(start: bytes, count: count))
  } catch {
    fatalError("FOUND in \(target.rawValue): \(error)")
  }
  return 0
}

// libFuzzer sees all but the target.
var arguments = CommandLine.unsafeArgv + 1
arguments[0] = CommandLine.unsafeArgv[0]
var count = CommandLine.argc - 1
exit(
  withUnsafeMutablePointer(to: &arguments) { pointer in
    pointer.withMemoryRebound(
      to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.self, capacity: 1
    ) { LLVMFuzzerRunDriver(&count, $0, feed) }
  })
