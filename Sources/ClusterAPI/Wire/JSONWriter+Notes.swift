import GeoFormats

extension JSONWriter {
  /// Writes the member `notes` of an answer, sentences for people; nothing if there are none.
  mutating func notes(_ notes: [String]) {
    guard !notes.isEmpty else { return }
    array("notes") { json in
      for note in notes { json.value(note) }
    }
  }
}
