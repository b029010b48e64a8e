extension FeatureID {
  /// Calls `body` with the id in the form in which it lies in records. A text's bytes are valid during
  /// the call only.
  public func withRawID<R, E: Error>(
    _ body: (FeatureRecord.RawID) throws(E) -> R
  ) throws(E) -> R {
    switch key {
    case .integer(let value): try body(.integer(value, writtenAsText: isWrittenAsText))
    case .text(let text):
      try text.withUnsafeBytes { bytes in
        Result { () throws(E) in try body(.text(bytes)) }
      }.get()
    }
  }
}
