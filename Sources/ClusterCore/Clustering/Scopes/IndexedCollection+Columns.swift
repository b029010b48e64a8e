import Threading

extension IndexedCollection {
  /// Returns the values of a property of all features, as a name says to read them.
  ///
  /// The first call reads every record, which takes a while. The column is then cached, also for
  /// changed versions of the collection, as long as there is memory. Another thread that needs the
  /// column meanwhile waits. A name must always be used with the same kind of decoder. Each reading has one of its own.
  ///
  /// - Complexity: O(bytes of all properties) for the first call.
  public func column(_ name: ColumnName, decoder: any PropertyDecoder) -> PropertyColumn {
    let key = CachedColumn.Key(name: name.property, reading: name.reading)
    let column = columns.value(for: key) { _ in
      // To read so many takes longer than an event loop has.
      if index.count > IndexedCollection.quicklyRead { _ = Cancellation.stopIfLimited() }
      return .values(PropertyColumn(named: name.property, of: index, decoder: decoder), decoder)
    }
    guard case .values(let values, _) = column else { preconditionFailure("the key is of values") }
    return values
  }

  /// Returns the keys of a property of all features. Cached like ``column(_:decoder:)``.
  ///
  /// - Complexity: as ``column(_:decoder:)``, and O(n + k log k) for k keys.
  public func keyColumn(named name: [UInt8], decoder: any PropertyDecoder) -> KeyColumn {
    let column = columns.value(for: CachedColumn.Key(name: name, isKeys: true)) { _ in
      .keys(KeyColumn(self.column(ColumnName(name), decoder: decoder)))
    }
    guard case .keys(let keys) = column else { preconditionFailure("the key is of keys") }
    return keys
  }

  /// Returns a column that ``column(_:decoder:)`` would return without reading records; nil otherwise.
  public func existingColumn(_ name: ColumnName) -> PropertyColumn? {
    let key = CachedColumn.Key(name: name.property, reading: name.reading)
    guard case .values(let column, _) = columns.existing(key) else { return nil }
    return column
  }

  /// Returns whether ``column(_:decoder:)`` would return without reading records.
  public func hasColumn(_ name: ColumnName) -> Bool {
    columns.contains(CachedColumn.Key(name: name.property, reading: name.reading))
  }

  /// Returns whether ``keyColumn(named:decoder:)`` would return without reading records.
  public func hasKeyColumn(named name: [UInt8]) -> Bool {
    columns.contains(CachedColumn.Key(name: name, isKeys: true))
  }

  /// Throws ``ImpossibleRequest/outOfMemory`` unless memory can be had for those of some columns that aren't
  /// there yet, and for a scope. It is taken in small pieces, so that it can't be set aside.
  public func checkMemory(forColumns names: [ColumnName]) throws(ImpossibleRequest) {
    let missing = names.count { !hasColumn($0) }
    guard LargeMemory.isAvailable(index.count * (16 * missing + 24)) else { throw .outOfMemory }
  }

  /// The features of which a property is read in a fraction of a millisecond.
  private static let quicklyRead = 1000
}
