/// The header field with the version of a collection. The answer to a write has it, and a read that has it waits until
/// the collection has come that far.
enum VersionField {
  static let name = "Pincluster-Version"
}
