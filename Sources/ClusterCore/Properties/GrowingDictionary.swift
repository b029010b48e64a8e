/// A dictionary that may grow, although the one that it began as belongs to others, too.
final class GrowingDictionary {
  /// What it is by now.
  private(set) var dictionary: ByteDictionary
  private var isShared: Bool

  /// One of nothing, or one that begins as another.
  init(_ dictionary: ByteDictionary? = nil) {
    self.dictionary = dictionary ?? ByteDictionary()
    isShared = dictionary != nil
  }

  /// The number of a text, which is added if it is new.
  func add(_ text: UnsafeRawBufferPointer, flag: Bool = false) -> Int {
    if isShared {
      if let number = dictionary.number(of: text, flag: flag) { return number }
      dictionary = dictionary.extended
      isShared = false
    }
    return dictionary.add(text, flag: flag)
  }
}
