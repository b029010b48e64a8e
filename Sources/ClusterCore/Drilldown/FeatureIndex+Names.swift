extension FeatureIndex {
  /// The ordinal of the feature that an id names; nil if there is none.
  func ordinal(named id: AnnotationID) -> Int? {
    switch id {
    case .cell: nil
    case .feature(let feature): ordinal(of: feature)
    case .longText(let prefix, let hash):
      prefix.withUnsafeBytes { bytes -> Int? in
        var ordinal: Int?
        directory.forEach(from: directory.index(notBefore: .text(bytes), records)) { reference in
          let text = records[reference].textID
          guard text.starts(with: prefix) else { return false }
          if StableHash128(text) == hash { ordinal = self.ordinal(of: reference) }
          return ordinal == nil
        }
        return ordinal
      }
    }
  }
}
