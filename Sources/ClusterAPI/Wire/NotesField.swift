import GeoFormats
import HTTPServer
import Texts

/// The header field with the notes of an answer that isn't JSON, sentences for people.
enum NotesField {
  static let name = "Pincluster-Notes"
  /// The most bytes of its value, as proxies refuse long ones; the notes that would make it longer are left out.
  private static let longest = 4096

  /// The value: the notes percent-encoded, with a comma and a space between; nil if there are none.
  fileprivate static func value(_ notes: [String]) -> String? {
    var value = ""
    for note in notes {
      let part = (value.isEmpty ? "" : ", ") + PercentCoding.encode(note)
      if value.utf8.count + part.utf8.count > longest { break }
      value += part
    }
    return value.isEmpty ? nil : value
  }
}

extension HTTPResponse {
  /// The response with notes as a header field.
  func noting(_ notes: [String]) -> HTTPResponse {
    guard let value = NotesField.value(notes) else { return self }
    var response = self
    response.headers.append((NotesField.name, value))
    return response
  }
}

extension JSONWriter {
  /// Writes the member `notes` of an answer, sentences for people; nothing if there are none.
  mutating func notes(_ notes: [String]) {
    guard !notes.isEmpty else { return }
    array("notes") { json in
      for note in notes { json.value(note) }
    }
  }
}
