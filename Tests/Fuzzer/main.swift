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

// libFuzzer starts this again to merge corpora, with what it saw of the command line: all but the target.
let variable = "PINCLUSTER_FUZZ_TARGET"
let told = getenv(variable).map { String(cString: $0) }
guard let name = told ?? CommandLine.arguments.dropFirst().first,
  let chosen = FuzzTarget(rawValue: name)
else {
  fatalError(
    "the first argument is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
}
target = chosen
setenv(variable, name, 1)

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

let skipped = told == nil ? 1 : 0
var arguments = CommandLine.unsafeArgv + skipped
arguments[0] = CommandLine.unsafeArgv[0]
var count = CommandLine.argc - Int32(skipped)
exit(
  withUnsafeMutablePointer(to: &arguments) { pointer in
    pointer.withMemoryRebound(
      to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.self, capacity: 1
    ) { LLVMFuzzerRunDriver(&count, $0, feed) }
  })
