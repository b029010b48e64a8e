extension FeatureBatch {
  /// Copies the record at `index` into an arena.
  func append(
    recordAt index: Int, to records: inout RecordArena
  ) throws(RecordArena.Full) -> RecordReference {
    let result = withRecord(at: index) { record -> RecordReference? in
      try? records.append(record)
    }
    guard let result else { throw RecordArena.Full() }
    return result
  }
}
