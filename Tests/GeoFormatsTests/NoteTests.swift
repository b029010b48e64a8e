import GeoFormats
import Testing

/// What readers say about what they assumed.
@Suite(.timeLimit(.minutes(5))) struct NoteTests {
  @Test func `each note is there once, and there are few`() {
    var parsed = ParsedFeatures()
    for number in [1, 2, 1, 3, 2] { parsed.note("\(number)") }
    #expect(parsed.notes == ["1", "2", "3"])
    for number in 0..<100 { parsed.note("n\(number)") }
    #expect(parsed.notes.count == ParsedFeatures.maximumNotes)
    #expect(parsed.notes.last == "n16")
  }

  @Test func `a long note is cut`() {
    for (length, cut) in [(300, 300), (301, 300), (5000, 300)] {
      var parsed = ParsedFeatures()
      parsed.note(String(repeating: "a", count: length))
      parsed.note(String(repeating: "a", count: length))
      #expect(parsed.notes.map(\.utf8.count) == [cut])
    }
    var parsed = ParsedFeatures()
    parsed.note(String(repeating: "é", count: 200))
    #expect(parsed.notes == [String(repeating: "é", count: 148) + "…"])
  }
}
