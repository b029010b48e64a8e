import Glibc
import Testing

@testable import GeoFormats

/// Parsing without memory, in processes whose address space is limited once the document exists. Address
/// sanitizer would end a process without memory.
@Suite(
  .timeLimit(.minutes(1)),
  .enabled(if: dlsym(nil, "__asan_init") == nil, "address sanitizer needs the memory itself"))
struct OutOfMemoryTests {
  @Test func `a parser without memory says so`() async {
    await #expect(processExitsWith: .success) {
      let document = [UInt8](repeating: UInt8(ascii: " "), count: 64 << 20) + Array("1".utf8)
      let parser = JSONParser()
      OutOfMemoryTests.limitMemory()
      #expect(throws: JSONError.outOfMemory) { try parser.parse(document) }
      _ = try parser.parse(Array("[1]".utf8))
    }
  }

  @Test(arguments: [false, true])
  func `a feature for which there is no memory is not a bad feature`(isSequence: Bool) async {
    await #expect(processExitsWith: .success) { [isSequence] in
      let padding = String(repeating: " ", count: 12 << 20)
      let feature =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{\#(padding)}}"#
      var text = Array(feature.utf8)
      if !isSequence { text = Array(#"{"type":"FeatureCollection","features":["#.utf8) + text }
      var reader = FeatureReader(isSequence: isSequence, maximumLength: 16 << 20)
      var parsed = ParsedFeatures()
      if isSequence { text.append(0x0A) } else { text += Array("]}".utf8) }
      OutOfMemoryTests.limitMemory()
      #expect(throws: FormatError.outOfMemory) { try reader.read(text, into: &parsed) }
      #expect(parsed.rejected == 0)
    }
  }

  @Test func `features for which there is no memory do not end the process`() async {
    await #expect(processExitsWith: .success) {
      let text = Array(String(repeating: "1,2,a name of some length\n", count: 1_000_000).utf8)
      var survey = TableSurvey()
      try survey.read(Array("lat,lon,name\n".utf8))
      let plan = try survey.finish(isWhole: true, isFinal: true)
      var reader = FeatureReader(table: plan)
      var parsed = ParsedFeatures()
      try reader.read(Array("lat,lon,name\n".utf8), into: &parsed)
      OutOfMemoryTests.limitMemory(megabytes: 64)
      #expect(throws: FormatError.outOfMemory) { try reader.read(text, into: &parsed) }
      #expect(parsed.batch.count > 1000 && parsed.rejected == 0)
    }
  }

  /// Leaves this process some more megabytes of address space.
  private static func limitMemory(megabytes: Int = 4) {
    var pages = 0
    if let file = fopen("/proc/self/statm", "r") {
      withUnsafeMutablePointer(to: &pages) { pages in
        _ = withVaList([pages]) { vfscanf(file, "%ld", $0) }
      }
      fclose(file)
    }
    let room = rlim_t(pages * sysconf(Int32(_SC_PAGESIZE)) + megabytes << 20)
    var limit = rlimit(rlim_cur: room, rlim_max: room)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
  }
}
