import CHints

extension PropertyColumn {
  /// Reads a property of every feature of an index. O(the bytes of all properties).
  public convenience init(
    named name: [UInt8], of index: FeatureIndex, decoder: some PropertyDecoder
  ) {
    let dictionary = GrowingDictionary()
    var chunks: [ColumnChunk] = []
    chunks.reserveCapacity(index.blocks.count)
    index.points.forEachRun { run in
      var builder = ColumnChunkBuilder(count: run.count, dictionary: dictionary)
      for ordinal in run {
        index.prefetchRecord(at: min(ordinal + PropertyColumn.ahead, run.upperBound - 1))
        decoder.withValue(of: name, in: index.record(at: ordinal).properties) {
          builder.append($0)
        }
      }
      chunks.append(builder.chunk)
    }
    self.init(chunks, dictionary.dictionary)
  }

  /// The column of a changed index: the values of another column where features stayed, and those
  /// that are read from the new ones. O(blocks), and the features of changed ones.
  convenience init(
    carrying old: PropertyColumn, after edit: EditedBlocks, named name: [UInt8],
    of index: FeatureIndex, decoder: any PropertyDecoder
  ) {
    let dictionary = GrowingDictionary(old.dictionary)
    let made = edit.made { block, origins, number in
      var builder = ColumnChunkBuilder(count: block.count, dictionary: dictionary)
      let firstOrdinal = number << PointIndex.blockBits
      for run in CarriedRun.runs(origins) {
        if let origin = run.origin {
          let offset = origin & (PointIndex.maximumBlockCount - 1)
          builder.append(
            old.chunks[origin >> PointIndex.blockBits], offset..<offset + run.offsets.count)
          continue
        }
        for offset in run.offsets {
          let record = index.record(at: firstOrdinal + offset)
          decoder.withValue(of: name, in: record.properties) { builder.append($0) }
        }
      }
      return builder.chunk
    }
    let column = PropertyColumn(old, after: edit, made, dictionary.dictionary)
    self.init(column.mayHoldDeadEntries ? column.withoutDeadEntries() : column)
  }

  private static let ahead = 8

  private convenience init(_ other: PropertyColumn) { self.init(copying: other) }

  /// Whether the dictionary is large and has doubled since it was last known which of its entries are
  /// in a feature.
  private var mayHoldDeadEntries: Bool {
    dictionary.byteCount > PropertyColumn.smallDictionary && entryCount >= 2 * livingEntries
  }

  /// The column as it is, or with another dictionary if half of it is in no feature any more.
  private func withoutDeadEntries() -> PropertyColumn {
    // A code's new code; 0 as long as it isn't met.
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
      let newCodes = FixedArray<Code>(uninitialized: codes.count)
      for offset in 0..<codes.count {
        newCodes.pointer[offset] = renamed[Int(codes.pointer[offset])]
      }
      return ColumnChunk(count: chunk.count, codes: newCodes, doubles: chunk.doubles)
    }
    return PropertyColumn(renamedChunks, fresh, livingEntries: living)
  }

  /// A dictionary that isn't worth looking through, in bytes.
  private static let smallDictionary = 256 << 10
}

extension FeatureIndex {
  /// Asks for a record's memory.
  @inline(__always)
  func prefetchRecord(at ordinal: Int) {
    let base = record(at: ordinal).base
    chints_prefetch(base)
    chints_prefetch(base + 64)
    chints_prefetch(base + 128)
  }
}
