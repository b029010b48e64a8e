extension BinaryInteger {
  /// A number of things in words, such as `1 feature` and `2 features`.
  ///
  /// - Parameter noun: one of them, whose plural ends in s.
  public func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
