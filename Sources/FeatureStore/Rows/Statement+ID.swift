import CSQLite
import ClusterCore

extension Statement {
  /// Binds an id as it lies in a column. A text is borrowed.
  func bindBorrowed(_ id: FeatureRecord.RawID, at index: Int32) throws(StoreError) {
    switch id {
    case .integer(let value, _): try bind(value, at: index)
    case .text(let bytes): try bindBorrowed(text: bytes, at: index)
    }
  }

  /// An id, or nil if the value isn't in the form in which ids are stored.
  func id(_ column: Int32, isWrittenAsText: Bool) -> FeatureID? {
    switch type(column) {
    case SQLITE_INTEGER:
      return try? FeatureID(integer: integer(column), isWrittenAsText: isWrittenAsText)
    case SQLITE_TEXT where bytes(column).isUTF8:
      guard let id = try? FeatureID(text: bytes(column)), case .text = id.key else { return nil }
      return id
    default: return nil
    }
  }
}
