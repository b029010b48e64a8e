/// Names and values as parts of a statement, where they can't be parameters.
enum SQLText {
  /// A name.
  static func quoted(_ name: String) -> String { "\"" + doubled(name, "\"") + "\"" }

  /// The name of something in a schema.
  static func quoted(_ name: String, in schema: String) -> String {
    quoted(schema) + "." + quoted(name)
  }

  /// A text.
  static func literal(_ text: String) -> String { "'" + doubled(text, "'") + "'" }

  private static func doubled(_ text: String, _ mark: Character) -> String {
    text.split(separator: mark, omittingEmptySubsequences: false).joined(
      separator: "\(mark)\(mark)")
  }
}
