extension IndexedCollection {
  /// The values of a property (by the UTF-8 of its name) of all features.
  ///
  /// The first call reads it out of every record, which takes a while; the column is then kept as
  /// long as there is memory for it, also in the indexes that changes make of this one. A second
  /// thread that asks for it meanwhile waits. A name must always come with the same kind of decoder.
  public func column(named name: [UInt8], decoder: any PropertyDecoder) -> PropertyColumn {
    let column = columns.value(for: CachedColumn.Key(name: name)) { _ in
      .values(PropertyColumn(named: name, of: index, decoder: decoder), decoder)
    }
    guard case .values(let values, _) = column else { preconditionFailure("asked for values") }
    return values
  }

  /// The keys of a property of all features; as ``column(named:decoder:)``.
  public func keyColumn(named name: [UInt8], decoder: any PropertyDecoder) -> KeyColumn {
    let column = columns.value(for: CachedColumn.Key(name: name, isKeys: true)) { _ in
      .keys(KeyColumn(self.column(named: name, decoder: decoder)))
    }
    guard case .keys(let keys) = column else { preconditionFailure("asked for keys") }
    return keys
  }

  /// Whether ``column(named:decoder:)`` would answer at once.
  public func hasColumn(named name: [UInt8]) -> Bool {
    columns.contains(CachedColumn.Key(name: name))
  }

  /// Whether ``keyColumn(named:decoder:)`` would answer at once.
  public func hasKeyColumn(named name: [UInt8]) -> Bool {
    columns.contains(CachedColumn.Key(name: name, isKeys: true))
  }
}
