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

  /// Returns what becomes of each of the columns, derived from the old ones, in a changed index.
  ///
  /// - Parameter edit: how the blocks of the changed index derive from the old ones.
  static func carried(
    _ columns: [(key: Key, value: CachedColumn)], after edit: EditedBlocks, to index: FeatureIndex
  ) -> [VersionCache<Key, CachedColumn>.Carried?] {
    var carried: [Key: PropertyColumn] = [:]
    for case (let key, .values(let values, let decoder)) in columns {
      carried[key] = PropertyColumn.carrying(
        values, after: edit, named: key.name, of: index, decoder: decoder)
    }
    return columns.map { key, column in
      switch column {
      case .values(_, let decoder): carried[key].map { .current(.values($0, decoder)) }
      case .keys(let keys):
        if !keys.mayHoldDeadKeys, let values = carried[Key(name: key.name)] {
          .current(.keys(KeyColumn(carrying: keys, after: edit, of: values)))
        } else {
          nil
        }
      }
    }
  }
}
