/// A cached column of a property of a collection.
enum CachedColumn: Sendable {
  /// The values, and the decoder that reads those of new features.
  case values(PropertyColumn, any PropertyDecoder)
  case keys(KeyColumn)

  struct Key: Hashable, Sendable {
    /// The property's name in UTF-8.
    var name: [UInt8]
    /// How its values are read.
    var reading = ColumnName.Reading.values
    var isKeys = false
  }

  /// Returns the memory that it takes with its key, in bytes.
  func cost(_ key: Key) -> Int {
    let byteCount =
      switch self {
      case .values(let column, _): column.byteCount
      case .keys(let column): column.byteCount
      }
    return byteCount + key.name.count + 1024
  }

  /// Returns the columns of a changed index, derived from the old ones.
  ///
  /// - Parameter edit: how the blocks of the changed index derive from the old ones.
  static func carried(
    _ columns: [Key: CachedColumn], after edit: EditedBlocks, to index: FeatureIndex
  ) -> [Key: CachedColumn] {
    var carried: [Key: CachedColumn] = [:]
    for (key, column) in columns {
      guard case .values(let values, let decoder) = column else { continue }
      let column = PropertyColumn.carrying(
        values, after: edit, named: key.name, of: index, decoder: decoder)
      carried[key] = .values(column, decoder)
    }
    for (key, column) in columns {
      guard case .keys(let keys) = column, !keys.mayHoldDeadKeys,
        case .values(let values, _) = carried[Key(name: key.name)]
      else { continue }
      carried[key] = .keys(KeyColumn(carrying: keys, after: edit, of: values))
    }
    return carried
  }
}
