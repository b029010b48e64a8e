/// Some features of a batch that the client may not write: they don't pass its filter, or would replace others that
/// don't.
struct ForbiddenFeatures: Error {
  /// Their numbers, in order.
  let numbers: [Int]

  /// What to tell the client. It must not tell whether there is a feature that it can't see.
  static let detail = "the key may not write this feature"
}
