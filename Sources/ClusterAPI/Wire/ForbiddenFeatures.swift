/// Some features of a batch that the client may not write: they don't pass its filter, or would replace others that
/// don't.
struct ForbiddenFeatures: Error {
  /// Their numbers, in order.
  let numbers: [Int]

  /// The message for the client, which must not reveal whether there is a feature that the client can't see.
  static let detail = "the key may not write this feature"
}
