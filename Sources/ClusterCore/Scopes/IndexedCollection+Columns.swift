extension IndexedCollection {
  /// Returns the values of a property of all features, given the UTF-8 of its name.
  ///
  /// The first call reads every record, which takes a while. The column is then cached, also for
  /// changed versions of the collection, as long as there is memory. Another thread that needs the
  /// column meanwhile waits. A name must always be used with the same kind of decoder.
  public func column(named name: [UInt8], decoder: any PropertyDecoder) -> PropertyColumn {
    let column = columns.column(ColumnCache.Key(name: name)) {
      .values(PropertyColumn(named: name, of: index, decoder: decoder), decoder)
    }
    guard case .values(let values, _) = column else { preconditionFailure("the key is of values") }
    return values
  }

  /// Returns the keys of a property of all features. Cached like ``column(named:decoder:)``.
  public func keyColumn(named name: [UInt8], decoder: any PropertyDecoder) -> KeyColumn {
    let column = columns.column(ColumnCache.Key(name: name, isKeys: true)) {
      .keys(KeyColumn(self.column(named: name, decoder: decoder)))
    }
    guard case .keys(let keys) = column else { preconditionFailure("the key is of keys") }
    return keys
  }

  /// Returns whether ``column(named:decoder:)`` would return without reading records.
  public func hasColumn(named name: [UInt8]) -> Bool {
    columns.has(ColumnCache.Key(name: name))
  }

  /// Returns whether ``keyColumn(named:decoder:)`` would return without reading records.
  public func hasKeyColumn(named name: [UInt8]) -> Bool {
    columns.has(ColumnCache.Key(name: name, isKeys: true))
  }

  /// Carries over the columns of the version before a change.
  ///
  /// - Parameter edit: how the blocks of this version's index derive from the old ones.
  func takeColumns(from old: IndexedCollection, _ edit: EditedBlocks) {
    columns.take(
      from: old.columns,
      values: { name, column, decoder in
        PropertyColumn(carrying: column, after: edit, named: name, of: index, decoder: decoder)
      },
      keys: { keys, column in
        keys.mayHoldDeadKeys ? nil : KeyColumn(carrying: keys, after: edit, of: column)
      })
  }
}
