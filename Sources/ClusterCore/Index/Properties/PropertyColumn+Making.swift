import CHints
import Threading

extension PropertyColumn {
  /// Creates the column of a property from all records of an index. Values are missing in a cancelled
  /// result.
  ///
  /// - Complexity: O(bytes of all properties).
  public convenience init(
    named name: [UInt8], of index: FeatureIndex, decoder: some PropertyDecoder
  ) {
    let dictionary = GrowingDictionary()
    var chunks: [ColumnChunk] = []
    chunks.reserveCapacity(index.blocks.count)
    index.points.forEachRun { run in
      if Cancellation.isOver {
        return chunks.append(ColumnChunk(count: run.count, codes: nil, doubles: nil))
      }
      var builder = ColumnChunkBuilder(count: run.count, dictionary: dictionary)
      for ordinal in run {
        index.prefetchRecord(at: min(ordinal + PropertyColumn.ahead, run.upperBound - 1))
        let record = index.record(at: ordinal)
        guard !Cancellation.poll(50 &+ record.properties.count / 2) else {
          builder.append(.missing)
          continue
        }
        decoder.withValue(of: name, of: record) { builder.append($0) }
      }
      chunks.append(builder.chunk)
    }
    self.init(chunks, dictionary.dictionary)
  }

  /// Returns the column of a changed index, from the old values of unchanged features and from the
  /// records of new ones. O(blocks) plus the size of the changed blocks.
  static func carrying(
    _ old: PropertyColumn, after edit: EditedBlocks, named name: [UInt8], of index: FeatureIndex,
    decoder: any PropertyDecoder
  ) -> PropertyColumn {
    let dictionary = GrowingDictionary(old.dictionary)
    let made = edit.made { block, origins, number in
      var builder = ColumnChunkBuilder(count: block.count, dictionary: dictionary)
      let firstOrdinal = number << PointIndex.blockBits
      var start = 0
      while start < origins.count {
        guard origins[start] != FeatureEntry.isNew else {
          let record = index.record(at: firstOrdinal + start)
          decoder.withValue(of: name, of: record) { builder.append($0) }
          start += 1
          continue
        }
        // Features that follow each other as before are copied at once.
        let origin = Int(origins[start])
        let chunk = old.chunks[origin >> PointIndex.blockBits]
        let offset = origin & (PointIndex.maximumBlockCount - 1)
        var count = 1
        while start + count < origins.count, offset + count < chunk.count,
          Int(origins[start + count]) == origin + count
        {
          count += 1
        }
        builder.append(chunk, offset..<offset + count)
        start += count
      }
      return builder.chunk
    }
    let column = PropertyColumn(
      edit.applied(to: old.chunks, made), made, of: old, after: edit, dictionary.dictionary,
      livingEntries: old.livingEntries)
    return column.mayHoldDeadEntries ? column.withoutDeadEntries() : column
  }

  private static let ahead = 8

  /// Whether the dictionary is large and has doubled since its live entries were last counted.
  private var mayHoldDeadEntries: Bool {
    dictionary.byteCount > PropertyColumn.smallDictionary && entryCount >= 2 * livingEntries
  }

  /// Returns the column with a compacted dictionary if at least half of the entries are dead,
  /// otherwise the same column with the live entries counted.
  private func withoutDeadEntries() -> PropertyColumn {
    // The new code of each code; 0 until it is found.
    var renamed = [Code](repeating: 0, count: Int(PropertyColumn.firstEntry) + entryCount)
    var living = 0
    for codes in chunks.lazy.compactMap(\.codes) {
      for offset in 0..<codes.count {
        let code = Int(codes.pointer[offset])
        if renamed[code] == 0 {
          renamed[code] = 1
          living += code >= PropertyColumn.firstEntry ? 1 : 0
        }
      }
    }
    guard living <= entryCount / 2 else {
      return PropertyColumn(chunks, dictionary, livingEntries: living)
    }
    let fresh = ByteDictionary()
    for code in PropertyColumn.firstEntry..<Code(renamed.count) where renamed[Int(code)] != 0 {
      let number = fresh.add(bytes(ofEntry: code), flag: !isString(entry: code))
      renamed[Int(code)] = PropertyColumn.firstEntry + Code(number)
    }
    for code in 0..<PropertyColumn.firstEntry { renamed[Int(code)] = code }
    let renamedChunks = chunks.map { chunk -> ColumnChunk in
      guard let codes = chunk.codes else { return chunk }
      let newCodes = WritableArray<Code>(count: codes.count)
      for offset in 0..<codes.count {
        newCodes.pointer[offset] = renamed[Int(codes.pointer[offset])]
      }
      return ColumnChunk(count: chunk.count, codes: newCodes.fixed, doubles: chunk.doubles)
    }
    return PropertyColumn(renamedChunks, fresh, livingEntries: living)
  }

  /// The size up to which a dictionary isn't worth compacting, in bytes.
  private static let smallDictionary = 256 << 10
}

extension FeatureIndex {
  @inline(__always)
  fileprivate func prefetchRecord(at ordinal: Int) {
    let base = record(at: ordinal).base
    chints_prefetch(base)
    chints_prefetch(base + 64)
    chints_prefetch(base + 128)
  }
}
