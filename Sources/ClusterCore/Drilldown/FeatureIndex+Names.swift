extension FeatureIndex {
  /// The place of the feature that an id names.
  func place(named id: AnnotationID) -> Int? {
    switch id {
    case .cell: nil
    case .feature(let feature): ordinal(of: feature)
    case .longText(let prefix, let hash):
      prefix.withUnsafeBytes { bytes -> Int? in
        var place: Int?
        directory.forEach(from: directory.index(notBefore: .text(bytes), records)) { reference in
          let text = records[reference].textID
          guard text.starts(with: prefix) else { return false }
          if StableHash128(text) == hash { place = self.ordinal(of: reference) }
          return place == nil
        }
        return place
      }
    }
  }
}
