import HTTPServer
import Testing

@Suite(.timeLimit(.minutes(5))) struct TraceParentTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let parent = "00f067aa0ba902b7"

  @Test(arguments: [
    "00-\(trace)-\(parent)-01", "00-\(trace)-\(parent)-00", "cc-\(trace)-\(parent)-ff",
    "01-\(trace)-\(parent)-01-what-comes-later",
  ])
  func takesValidFields(field: String) {
    let read = TraceParent(field)
    #expect(read?.trace == Self.trace && read?.parent == Self.parent)
  }

  @Test(arguments: [
    "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-0", "00-\(trace)-\(parent)-01-x",
    "00-\(trace)-\(parent)-011", "01-\(trace)-\(parent)-01x", "ff-\(trace)-\(parent)-01",
    "00-\(trace.uppercased())-\(parent)-01", "00-\(trace)-\(parent)-0g", "0x-\(trace)-\(parent)-01",
    "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
    "00_\(trace)-\(parent)-01", "00-\(trace)\(parent)--01", "\u{661}0-\(trace)-\(parent)-01",
    "00-\(trace)-\(parent)-01, 00-\(trace)-\(parent)-01",
  ])
  func refusesOthers(field: String) { #expect(TraceParent(field) == nil) }
}
