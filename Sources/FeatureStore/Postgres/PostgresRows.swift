import ClusterCore

/// The rows of a collection that a transaction writes and deletes, as statements. Each statement has an id once only.
struct PostgresRows {
  /// The most ids that a change notes. Others load the collection anew where there are more.
  private static let mostNoted = 1_000_000
  /// The size of a statement's features after which another one is begun, in bytes.
  private static let bytesAtOnce = 1 << 20

  private let key: Int64
  private let coder = PositionCoder()
  /// The ids of the statement that is being made; not kept where no id can come twice.
  private var ids: Set<FeatureID> = []
  private let keepsIDs: Bool
  private var columns = Columns()
  private var deleted = PostgresArray.IDs()
  /// The features that the transaction has written or deleted.
  private var changed = PostgresArray.IDs()

  /// - Parameter hasOneOperation: whether there is one operation, in which no id comes twice.
  init(of key: Int64, hasOneOperation: Bool) {
    self.key = key
    keepsIDs = !hasOneOperation
  }

  private struct Columns {
    var ids = PostgresArray.IDs()
    var writtenAsText = PostgresArray(.booleans)
    var longitudes = PostgresArray(.doubles)
    var latitudes = PostgresArray(.doubles)
    var further = PostgresArray(.byteStrings)
    var properties = PostgresArray(.texts)
    var expiries = PostgresArray(.integers)
    var checksums = PostgresArray(.integers)
  }

  /// Takes what an operation changes, and sends statements that are full.
  mutating func add(
    _ operation: PostgresDraft.Operation, _ send: PostgresConnection.Sender
  ) throws(StoreError) {
    switch operation {
    case .upsert(_, let batch):
      _ = try batch.withRecords { (records) throws(StoreError) in
        for index in WriteOrder(records).indices { try add(records[index], send) }
      }
    case .delete(_, let features):
      for feature in Set(features).sorted() { try delete(feature, send) }
    case .note(_, let features):
      for feature in Set(features).sorted() { feature.withRawID { changed.append($0) } }
    }
  }

  private mutating func add(
    _ record: FeatureRecord, _ send: PostgresConnection.Sender
  ) throws(StoreError) {
    let mustBegin = keepsIDs && !ids.insert(record.id).inserted
    if mustBegin || deleted.count > 0
      || columns.properties.elements.count > PostgresRows.bytesAtOnce
    {
      try finish(send)
      if keepsIDs { ids.insert(record.id) }
    }
    let id = record.rawID
    changed.append(id)
    columns.ids.append(id)
    columns.writtenAsText.append(
      { if case .integer(_, let isText) = id { isText } else { true } }())
    columns.longitudes.append(record.coordinate.longitude)
    columns.latitudes.append(record.coordinate.latitude)
    let further = record.furtherOrdinates
    if further.isEmpty {
      columns.further.appendNull()
    } else {
      var bytes: [UInt8] = []
      for value in further { bytes.bigEndian(value.bitPattern) }
      columns.further.append(bytes: bytes)
    }
    columns.properties.append(bytes: record.properties)
    columns.expiries.append(record.expires)
    columns.checksums.append(FeatureRow(record, id: id, coder).checksum(in: key))
  }

  private mutating func delete(
    _ feature: FeatureID, _ send: PostgresConnection.Sender
  ) throws(StoreError) {
    let mustBegin = keepsIDs && !ids.insert(feature).inserted
    if mustBegin || columns.ids.count > 0 {
      try finish(send)
      if keepsIDs { ids.insert(feature) }
    }
    feature.withRawID { id in
      changed.append(id)
      deleted.append(id)
    }
  }

  /// Sends the rest of the statement.
  private mutating func finish(_ send: PostgresConnection.Sender) throws(StoreError) {
    if columns.ids.count > 0 {
      let columns = columns
      try send(
        PostgresQueries.upsert.with {
          $0.add(key)
          $0.add(columns.ids)
          for column in [
            columns.writtenAsText, columns.longitudes, columns.latitudes, columns.further,
            columns.properties, columns.expiries, columns.checksums,
          ] { $0.add(column) }
        })
    }
    if deleted.count > 0 {
      let deleted = deleted
      try send(
        PostgresQueries.delete.with {
          $0.add(key)
          $0.add(deleted)
        })
    }
    (columns, deleted) = (Columns(), PostgresArray.IDs())
    ids.removeAll(keepingCapacity: true)
  }

  /// Sends the rest, and a note of the changes with the collection's row.
  mutating func end(
    leadingTo info: CollectionInfo, _ send: PostgresConnection.Sender
  ) throws(StoreError) -> CollectionInfo {
    try finish(send)
    var info = info
    let isNoted = changed.count <= PostgresRows.mostNoted
    if !isNoted { info.trimmed = info.version }
    let changed = isNoted ? changed : PostgresArray.IDs()
    try send(
      PostgresQueries.change.with {
        $0.add(info.key)
        $0.add(bytes: info.title, info.description)
        $0.add(info.version, info.largestInteger, Int64(info.featureCount), info.ttl)
        $0.add(bytes: info.temporal?.columns.start, info.temporal?.columns.end)
        $0.add(info.checksum, info.token, isNoted ? 0 : 1)
        $0.add(changed)
        $0.add(info.time)
      })
    return info
  }
}
