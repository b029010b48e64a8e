/// A dictionary that can grow although the one it started with is shared.
final class GrowingDictionary {
  private(set) var dictionary: ByteDictionary
  private var isShared: Bool

  /// Creates an empty dictionary, or one that starts with a shared one.
  init(_ dictionary: ByteDictionary? = nil) {
    self.dictionary = dictionary ?? ByteDictionary()
    isShared = dictionary != nil
  }

  /// Returns the number of a text after adding it if it is new.
  func add(_ text: UnsafeRawBufferPointer, flag: Bool = false) -> Int {
    if isShared {
      if let number = dictionary.number(of: text, flag: flag) { return number }
      dictionary = dictionary.extended
      isShared = false
    }
    return dictionary.add(text, flag: flag)
  }
}
